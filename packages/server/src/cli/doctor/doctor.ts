import { type Environment, misspelledVariables } from '../../config/variables.ts';
import { parseConfig } from '../../config.ts';
import { ownCommand } from '../own-command.ts';
import { readJsonOptions } from '../parse-arguments.ts';
import { type Diagnosis, formatDiagnoses } from './diagnosis.ts';
import { examineDatabase } from './examine-database.ts';
import { examineUpstreams } from './examine-upstreams.ts';

/** The input and output of the command. */
export interface DoctorContext {
  arguments: readonly string[];
  /** The environment of the service, a `.env` file included. */
  environment: Environment;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

const help = `Examines what the service needs, and says in words what to do. It changes nothing but a counter of its own in Redis.

Usage: ${ownCommand('doctor', '[--json]')}

It looks at the configuration; at each Solana node: its cluster and consensus, its lag, its clock, which methods it answers, how much
history it keeps, and whether it limits the rate; at the database: whether it opens, which migrations are missing, and
who may read its file; and at Redis: whether it counts for the rate limits.

As lines, or as one line of JSON:
  ${ownCommand('doctor')}
  ${ownCommand('doctor', '--json')}

Exit status: 0 when the service can run, with warnings or without; 1 when something fails; 78 when a value of the
configuration is wrong.
`;

/**
 * Runs the `doctor` command: examines configuration, upstreams, database and Redis.
 *
 * Returns the exit status: 0, 1 when something fails, 2 for a command line that is not understood, 78 for a configuration with
 * errors.
 */
export async function runDoctor(context: DoctorContext): Promise<number> {
  const { environment, stdout, now } = context;
  const options = readJsonOptions('doctor', context, help);
  if (options === undefined) return 2;
  if (options.help) {
    stdout(help);
    return 0;
  }
  const print = (diagnoses: readonly Diagnosis[]): void =>
    stdout(options.json ? `${JSON.stringify({ diagnoses })}\n` : formatDiagnoses(diagnoses));
  const parsed = parseConfig(environment);
  const misspelled = misspelledVariables(environment).map((finding) => ofConfiguration('warning', finding));
  if ('faults' in parsed) {
    print([...parsed.faults.map((finding) => ofConfiguration('failure', finding)), ...misspelled]);
    return 78;
  }
  const { config } = parsed;
  const examined = await Promise.all([
    examineUpstreams(config, now),
    examineDatabase(config.databaseUrl, new Date(now())),
    examineRedis(config.redisUrl),
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
