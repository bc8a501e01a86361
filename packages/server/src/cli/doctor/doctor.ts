import { misspelledVariables } from '../../config/variables.ts';
import { parseConfig } from '../../config.ts';
import { type CommandContext, configurationFault } from '../command.ts';
import { type Diagnosis, formatDiagnoses } from './diagnosis.ts';
import { examineDatabase } from './examine-database.ts';
import { examineSponsor } from './examine-sponsor.ts';
import { examineUpstreams } from './examine-upstreams.ts';

/**
 * Runs the `doctor` command: examines configuration, upstreams, database and Redis.
 *
 * Returns the exit status: 0, 1 when something fails, 78 for a configuration with errors.
 */
export async function runDoctor({ json }: { json?: true }, context: CommandContext): Promise<number> {
  const { environment, stdout, now } = context;
  const print = (diagnoses: readonly Diagnosis[]): void =>
    stdout(json ? `${JSON.stringify({ diagnoses })}\n` : formatDiagnoses(diagnoses));
  const parsed = parseConfig(environment);
  const misspelled = misspelledVariables(environment).map((finding) => ofConfiguration('warning', finding));
  if ('faults' in parsed) {
    print([...parsed.faults.map((finding) => ofConfiguration('failure', finding)), ...misspelled]);
    return configurationFault;
  }
  const { config } = parsed;
  const upstreams = examineUpstreams(config, () => now().getTime());
  const examined = await Promise.all([
    upstreams.then(({ diagnoses }) => diagnoses),
    upstreams.then(({ cluster }) => examineDatabase(config.databaseUrl, cluster, now())),
    examineRedis(config.redisUrl),
    examineSponsor(config),
  ]);
  const whole = ofConfiguration('ok', 'Every value can be used.');
  const diagnoses = [whole, ...misspelled, ...examined.flat()];
  print(diagnoses);
  return diagnoses.some(({ level }) => level === 'failure') ? 1 : 0;
}

function ofConfiguration(level: Diagnosis['level'], finding: string): Diagnosis {
  return { subject: 'configuration', level, finding };
}

const redisSubject = 'redis';

/** Counts in Redis as the rate limits do, on a key that expires by itself. */
async function examineRedis(redisUrl: string | undefined): Promise<readonly Diagnosis[]> {
  if (redisUrl === undefined) {
    return [
      { subject: redisSubject, level: 'ok', finding: 'Not used: each service counts the rate limits by itself.' },
    ];
  }
  const { RedisCounter, redisRemedyOf } = await import('../../app/limits/redis-counter.ts');
  let reason = '';
  const counter = new RedisCounter({
    redisUrl,
    onChange: (_, said) => {
      reason = said;
    },
  });
  try {
    await counter.connect();
    if (counter.isReachable) {
      const finding = `It answers${redisUrl.startsWith('rediss:') ? ' by TLS' : ''}, and counts for the rate limits.`;
      return [{ subject: redisSubject, level: 'ok', finding }];
    }
  } finally {
    counter.close();
  }
  const meanwhile = 'Until it can be used, each process counts the rate limits by itself.';
  const remedy = `${redisRemedyOf(reason, redisUrl)} ${meanwhile}`;
  return [{ subject: redisSubject, level: 'warning', finding: `It cannot be used: ${reason}.`, remedy }];
}
