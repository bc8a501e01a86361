import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { variables } from '../packages/server/src/config/variables.ts';
import { repository } from './setup/process.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const sourceFolders = ['src', 'packages'].map((name) => join(repository, name)).filter(existsSync);
const sources = sourceFolders.flatMap((parent) =>
  readdirSync(parent, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => join(parent, path)),
);

/** The numeric value of a constant, or a product of such, read from the text of the file with this name. */
function constantOf(file: string, name: string): number {
  const paths = sources.filter((path) => basename(path) === file);
  for (const path of paths) {
    const value = new RegExp(`\\bconst ${name} = ([\\w* ]+);`).exec(readFileSync(path, 'utf8'))?.[1];
    const factors = value?.split('*').map((factor) => factor.trim().replace(/(?<=\d)n$/, ''));
    if (factors === undefined) continue;
    return factors.reduce(
      (product, factor) =>
        product * (/^\d/.test(factor) ? Number(factor.replaceAll('_', '')) : constantOf(file, factor)),
      1,
    );
  }
  throw new Error(`${file} has no constant ${name}: which one does the sentence come from now?`);
}

const inWords = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const timesInWords: ReadonlyMap<number, string> = new Map([
  [100, 'a tenth of a second'],
  [500, 'half a second'],
  [1_000, 'a second'],
  [60_000, 'a minute'],
  [300_000, 'five minutes'],
  [3_600_000, 'an hour'],
  [86_400_000, 'a day'],
  [604_800_000, 'a week'],
]);
const timeOf = (ms: number): string => timesInWords.get(ms) ?? `${ms / 1_000} seconds`;
const days = (ms: number): string => `${ms / 86_400_000} days`;
const grouped = (value: number): string => value.toLocaleString('en-US');

/** What a document says of a constant. */
const sentences: readonly [document: string, file: string, constant: string, sentence: (value: number) => string][] = [
  ['upstreams', 'upstream-connection.ts', 'windowSize', (calls) => `the 95th percentile of its last ${calls} calls`],
  ['upstreams', 'upstream.ts', 'maxFailures', (count) => `fails ${inWords[count]} times in a row`],
  ['upstreams', 'upstream.ts', 'foreignPauseMs', (ms) => `checked again every ${ms / 1000} s`],
  ['upstreams', 'node-errors.ts', 'maxRestMs', (ms) => `its \`Retry-After\`, up to ${ms / 1000} s`],
  ['upstreams', 'chain-head.ts', 'memoryMs', (ms) => `is accepted after ${ms / 1000} seconds`],
  [
    'upstreams',
    'chain-head.ts',
    'standstillMs',
    (ms) => `**When the newest slot stands still** for ${ms / 1000} seconds`,
  ],
  [
    'decisions/chain',
    'retry-rule.ts',
    'unknownRetrySeconds',
    (seconds) => `a retry is asked for in ${seconds} seconds`,
  ],
  ['decisions/chain', 'chain-head.ts', 'standstillMs', (ms) => `After ${inWords[ms / 1000]} seconds on the same`],
  ['upstreams', 'account-batcher.ts', 'maxAddresses', (count) => `read up to ${count} accounts in one call`],
  ['upstreams', 'chain-requests.ts', 'maxSliceBytes', (bytes) => `at most ${bytes / 1024} KiB of each account`],
  ['upstreams', 'chain-requests.ts', 'maxLongSliceBytes', (bytes) => `is read again, up to ${bytes / 1024} KiB`],
  ['errors', 'chain-requests.ts', 'maxLongSliceBytes', (bytes) => `No mint in use holds more than ${bytes / 1024} KiB`],
  ['upstreams', 'blockhash-source.ts', 'minAgeMs', (ms) => `Values below ${ms} are treated as ${ms}`],
  ['upstreams', 'public-routes.ts', 'readinessHoldMs', (ms) => `at most ${inWords[1000 / ms]} times a second`],
  ['upstreams', 'start-metrics.ts', 'usualPort', (port) => `http://127.0.0.1:${port}/metrics`],
  ['api', 'recent-prices.ts', 'memoryMs', (ms) => `1 for a level, cached for ${ms / 1000} s`],
  ['api', 'read-values.ts', 'maxReferences', (count) => `Up to ${count} addresses`],
  [
    'api',
    'compute-budget.ts',
    'guardHeadroom',
    (units) => `${grouped(units)} units for three guard instructions that wallets insert`,
  ],
  ['api', 'compute-budget.ts', 'programHeadroom', (units) => `and ${grouped(units)} for newer programs`],
  ['api', 'compute-budget.ts', 'hookHeadroom', (units) => `(${grouped(units)} more if a transfer hook runs)`],
  ['errors', 'compute-budget.ts', 'maxComputeUnits', (units) => `a transaction may spend ${grouped(units)}`],
  ['keys', 'keys-limits.ts', 'maxAllowed', (count) => `Separate several values with commas, at most ${count}`],
  ['keys', 'retention.ts', 'dailyAmountDays', (days) => `Sums are kept for ${days} days`],
  ['keys', 'sql-idempotency.ts', 'rowsPerPrune', (rows) => `up to ${rows} at a time with pauses`],
  ['keys', 'usage-recorder.ts', 'saveEveryMs', (ms) => `to the database every ${ms / 1000} seconds`],
  ['keys', 'authenticator.ts', 'maxAgeMs', (ms) => `and within ${ms / 1000} seconds in any case`],
  ['keys', 'sqlite-connection.ts', 'pollIntervalMs', (ms) => `checks ${inWords[1000 / ms]} times a second`],
  ['keys', 'open-postgres.ts', 'maxConnections', (count) => `${inWords[count]} for queries and one that listens`],
  ['keys', 'unknown-key-limit.ts', 'maxLookupsPerNetwork', (count) => `${count} per minute for one client address`],
  ['keys', 'unknown-key-limit.ts', 'maxLookups', (count) => `${count} per minute in total`],
  ['keys', 'active-key-list.ts', 'maxListedKeys', (count) => `With more than ${grouped(count)} active keys`],
  ['keys', 'active-key-list.ts', 'maxAgeMs', (ms) => `reads at most ${inWords[1000 / ms]} times a second`],
  ['limits', 'worker-pool.ts', 'maxPauseMs', (ms) => `growing pauses of up to ${ms / 1000} seconds`],
  ['operation', 'serve-workers.ts', 'stopGraceMs', (ms) => `not ended ${ms / 1000} seconds after drain`],
  ['operate/capacity', 'open-postgres.ts', 'maxConnections', (count) => `${inWords[count]} for queries and one that`],
  ['operate/capacity', 'rpc-transport.ts', 'maxConnections', (count) => `up to ${count} to each Solana node`],
  ['operate/capacity', 'account-batcher.ts', 'maxAddresses', (count) => `up to ${count} accounts in each`],
  ['operate/capacity', 'link-watch.ts', 'idleAgeMs', (ms) => `asked about every ${ms / 1000} seconds`],
  ['operate/capacity', 'link-watch.ts', 'payerAgeMs', (ms) => `every ${ms / 1000} seconds while a payment is likely`],
  [
    'operate/capacity',
    'public-routes.ts',
    'readinessHoldMs',
    (ms) => `up to ${inWords[1000 / ms]} a second to each node`,
  ],
  ['upstreams', 'failover-call.ts', 'attemptPresumedLostMs', (ms) => `does not answer for ${timeOf(ms)}, and neither`],
  [
    'upstreams',
    'failover-call.ts',
    'revivalWaitMs',
    (ms) => `a request waits up to ${timeOf(ms)}, and is then refused`,
  ],
  ['upstreams', 'build-app.ts', 'maxReadingMs', (ms) => `(not read within ${ms / 1000} seconds)`],
  ['upstreams', 'build-app.ts', 'maxEventLoopDelayMs', (ms) => `event loop is more than ${timeOf(ms)} late twice`],
  ['api', 'start-service.ts', 'leaseReserveMs', (ms) => `(twice that for a batch) and ${ms / 1000} seconds`],
  ['api', 'keyed-requests.ts', 'minNonceRetentionMs', (ms) => `with a \`nonce_account\` at least ${days(ms)}`],
  ['exactly-once', 'keyed-requests.ts', 'minNonceRetentionMs', (ms) => `after at least ${days(ms)}`],
  ['keys', 'sqlite-connection.ts', 'pollIntervalMs', (ms) => `at once or within ${timeOf(ms)}, and`],
  ['keys', 'retention.ts', 'everyMs', (ms) => `deletes them once ${timeOf(ms)}`],
  ['limits', 'stored-bytes.ts', 'hourMs', (ms) => `at most ${timeOf(ms)} and a few minutes after replies expire`],
  ['limits', 'rate-limiter.ts', 'windowMs', (ms) => `The window is ${inWords[ms / 60_000]} minute`],
  ['limits', 'rate-limiter.ts', 'windowMs', (ms) => `for ${timeOf(ms)}, and needs no backup`],
  ['limits', 'limited-keys.ts', 'logIntervalMs', (ms) => `in the log (once ${timeOf(ms)})`],
  ['limits', 'redis-counter.ts', 'silenceMs', (ms) => `or silent for ${timeOf(ms)}`],
  ['limits', 'link-watch.ts', 'likelyPaidMs', (ms) => `handed out in the last ${inWords[ms / 60_000]} minutes`],
  ['limits', 'link-watch.ts', 'maxWaitMs', (ms) => `waits ${timeOf(ms)} for a turn`],
  ['operation', 'main.ts', 'sameSignalMs', (ms) => `Within ${timeOf(ms)} of the first it is ignored`],
  ['operation', 'serve-context.ts', 'maxWaitMs', (ms) => `no more requests arrive, at most ${timeOf(ms)}`],
  ['operation', 'main.ts', 'lastWriteMs', (ms) => `Then the process ends, at most ${timeOf(ms)} later`],
  ['payment-links', 'link-requests.ts', 'defaultExpirySeconds', (seconds) => `${days(seconds * 1000)} by default`],
  ['operate/retention', 'retention.ts', 'dailyAmountDays', (count) => `\`key_daily_amounts\` | ${count} days`],
  ['operate/retention', 'keyed-requests.ts', 'minNonceRetentionMs', (ms) => `a \`nonce_account\` at least ${days(ms)}`],
  ['operate/retention', 'keyed-requests.ts', 'minNonceRetentionMs', (ms) => `durable nonce take more than ${days(ms)}`],
  ['operate/retention', 'retention.ts', 'settleAfterMs', (ms) => `link from ${timeOf(ms)} after its end`],
  ['operate/retention', 'retention.ts', 'pausePerLinkMs', (ms) => `at most one ${timeOf(ms)}, once`],
  ['operate/retention', 'retention.ts', 'settleEveryMs', (ms) => `once ${timeOf(ms)} for`],
  ['operate/retention', 'retention.ts', 'settleForMs', (ms) => `a day for ${timeOf(ms)}.`],
  ['operate/retention', 'retention.ts', 'settleForMs', (ms) => `run it again ${timeOf(ms)} after`],
  [
    'operate/retention',
    'retention.ts',
    'sandboxGoneAfterMs',
    (ms) => `are deleted ${timeOf(ms)} after it was last seen`,
  ],
  ['operate/retention', 'retention.ts', 'everyMs', (ms) => `At each start, and ${timeOf(ms)} after the last run`],
  [
    'operate/retention',
    'retention.ts',
    'leaseMs',
    (ms) => `within ${inWords[(ms + constantOf('retention.ts', 'everyMs')) / 60_000]} minutes`,
  ],
  ['operate/stores', 'authenticator.ts', 'maxAgeMs', (ms) => `changes to keys within ${timeOf(ms)}`],
  ['operate/traces', 'traces.ts', 'maxFlushMs', (ms) => `for at most ${ms / 1000} second.`],
  ['threat-model', 'authenticator.ts', 'maxAgeMs', (ms) => `changes apply within ${ms / 1000} s;`],
  ['threat-model', 'build-payment.ts', 'reissueBlocks', (blocks) => `the same bytes for ${blocks} blocks`],
  [
    'sponsor-fees',
    'ledger.ts',
    'defaultLamportsPerByte',
    (lamports) => `(${grouped(293 * lamports)} lamports now: 293 × ${grouped(lamports)})`,
  ],
  [
    '../packages/sandbox/README',
    'ledger.ts',
    'defaultLamportsPerByte',
    (lamports) => `(128 + 165) × ${grouped(lamports)} = ${grouped((128 + 165) * lamports)} lamports`,
  ],
  ['../packages/sandbox/README', 'ledger.ts', 'defaultSlotMs', (ms) => `| \`slotMs\` | ${ms}, as on mainnet now |`],
  [
    '../packages/sandbox/README',
    'ledger.ts',
    'defaultSlotMs',
    (ms) => `lives for 150 blocks, ${(150 * ms) / 1000} seconds`,
  ],
  ['decisions/chain', 'blockhash-source.ts', 'minAgeMs', (ms) => `below ${ms} ms the age is not enforced`],
  ['decisions/chain', 'cluster.ts', 'checkIntervalMs', (ms) => `checked again, after ${timeOf(ms)}`],
  ['decisions/chain', 'quorum-call.ts', 'unneededAttemptMs', (ms) => `canceled after ${timeOf(ms)}`],
  ['decisions/chain', 'rpc-chain-reader.ts', 'tokenAccountsTimeoutMs', (ms) => `${inWords[ms / 1000]} seconds at most`],
  ['decisions/chain', 'slot-time.ts', 'memoryMs', (ms) => `asked at most once ${timeOf(ms)}`],
  ['decisions/keys', 'authenticator.ts', 'maxAgeMs', (ms) => `from memory, at most ${timeOf(ms)} old`],
  ['decisions/links', 'link-watch.ts', 'payerAgeMs', (ms) => `is checked every ${timeOf(ms)} instead of`],
  ['decisions/links', 'link-watch.ts', 'idleAgeMs', (ms) => `instead of ${inWords[ms / 1000]}, by`],
  ['decisions/links', 'payment-links.ts', 'noteIntervalMs', (ms) => `in ${inWords[ms / 1000]} seconds or`],
  ['decisions/links', 'payment-links.ts', 'noteAheadBlocks', (blocks) => `or ${blocks} blocks`],
  ['decisions/links', 'link-checker.ts', 'settleAfterMs', (ms) => `${timeOf(ms)} after its end`],
  ['decisions/core', 'known-addresses.ts', 'maxKnown', (rows) => `one flat table of ${grouped(rows)} rows`],
  ['decisions/keys', 'key-lookups.ts', 'maxBatchKeys', (keys) => `One lookup at a time takes up to ${keys} keys`],
  ['decisions/batches', 'rpc-transport.ts', 'maxConnections', (count) => `hold all ${count} connections`],
  ['decisions/chain', 'upstream.ts', 'probeRepeatMs', (ms) => `a probe is sent again every ${ms} ms`],
  ['decisions/chain', 'chain-head.ts', 'maxLeadSlots', (slots) => `Two clusters within ${slots} slots of each other`],
  ['decisions/http', 'build-app.ts', 'maxWaitingBytes', (bytes) => `Past ${bytes / 1e6} MB over all connections`],
  ['decisions/http', 'build-app.ts', 'maxReadingMs', (ms) => `A reply must be read within ${ms / 1000} seconds`],
  [
    'decisions/command-line-and-start',
    'worker-pool.ts',
    'longLifeMs',
    (ms) => `A worker that lived ${ms / 1000} s resets the pause`,
  ],
];

/** What a document says of the default of a variable. */
const defaults: readonly [document: string, variable: string, sentence: (value: number) => string][] = [
  ['api', 'BLOCKHASH_MAX_AGE_MS', (ms) => `old (${inWords[ms / 1000]} second by default)`],
  ['api', 'IDEMPOTENCY_RETENTION_HOURS', (hours) => `the reply was built (${hours} by default`],
  ['exactly-once', 'IDEMPOTENCY_RETENTION_HOURS', (hours) => `its reply was built, ${hours} by default`],
  ['keys', 'KEY_STORE_GRACE_MS', (ms) => `\`KEY_STORE_GRACE_MS\` (${ms / 60_000} minutes)`],
  ['limits', 'IDEMPOTENCY_MAX_MIB_PER_KEY', (count) => `${grouped(count)} MiB by default`],
  ['operate/capacity', 'IDEMPOTENCY_RETENTION_HOURS', (hours) => `at the default of ${hours} hours`],
  ['operate/deploy', 'DRAIN_MS', (ms) => `serves for ${timeOf(ms)} more (\`DRAIN_MS\`)`],
  ['operate/retention', 'USAGE_RETENTION_DAYS', (count) => `| ${count} days | \`USAGE_RETENTION_DAYS\``],
  ['operate/retention', 'IDEMPOTENCY_RETENTION_HOURS', (hours) => `| ${hours} hours after the reply was built`],
];

describe('a number in a document', () => {
  for (const [document, file, constant, sentence] of sentences) {
    it(`is that of the code: ${document}, ${constant} of ${file}`, () => {
      const text = read(`docs/${document}.md`).replaceAll(/\s+/g, ' ');
      const expected = sentence(constantOf(file, constant));
      assert.ok(text.includes(expected), `docs/${document}.md should say: ${expected}`);
    });
  }

  for (const [document, name, sentence] of defaults) {
    it(`is the default of the variable: ${document}, ${name}`, () => {
      const text = read(`docs/${document}.md`).replaceAll(/\s+/g, ' ');
      const expected = sentence(Number(variables.find((each) => each.name === name)?.default));
      assert.ok(text.includes(expected), `docs/${document}.md should say: ${expected}`);
    });
  }

  it('is the sum of the times that a stop of a pod takes: its hook, its drain, its requests and three seconds', () => {
    const deployment = read('deploy/kubernetes/base/deployment.yaml');
    const [, hook = ''] = /preStop:\s+sleep:\s+seconds: (\d+)/.exec(deployment) ?? [];
    const [, grace = ''] = /terminationGracePeriodSeconds: (\d+)/.exec(deployment) ?? [];
    const [drainMs = 0, deadlineMs = 0] = ['DRAIN_MS', 'REQUEST_DEADLINE_MS'].map((name) =>
      Number(variables.find((each) => each.name === name)?.default),
    );
    const seconds = Number(hook) + (drainMs + deadlineMs) / 1_000 + 3;
    assert.ok(Number(grace) > seconds);
    const text = read('docs/operate/kubernetes.md').replaceAll(/\s+/g, ' ');
    assert.ok(text.includes(`serves as before for ${hook} seconds`));
    assert.ok(text.includes(`${seconds} seconds at most, and \`terminationGracePeriodSeconds\` is ${grace}`));
  });

  it('is that of the files to deploy with: the checks of the proxy, and the pace of the autoscaler', () => {
    const [, every, failures] = /check inter (\d+)s fall (\d+) /.exec(read('deploy/haproxy/haproxy.cfg')) ?? [];
    const deploy = read('docs/operate/deploy.md').replaceAll(/\s+/g, ' ');
    assert.equal(every, '1');
    assert.ok(
      deploy.includes(`asks \`/readyz\` every second, and takes a process out after ${inWords[Number(failures)]}`),
    );
    const autoscaler = read('deploy/kubernetes/base/autoscaler.yaml');
    const [, percent] = /averageUtilization: (\d+)/.exec(autoscaler) ?? [];
    const [, quiet, pods, period] =
      /scaleDown:\s+stabilizationWindowSeconds: (\d+)[\s\S]*?value: (\d+)\s+periodSeconds: (\d+)/.exec(autoscaler) ??
      [];
    assert.deepEqual([pods, period], ['1', '60']);
    const kubernetes = read('docs/operate/kubernetes.md').replaceAll(/\s+/g, ' ');
    const down = `removes one per minute after ${inWords[Number(quiet) / 60]} quiet minutes`;
    assert.ok(kubernetes.includes(`adds replicas at ${percent} % of their cores, and ${down}`));
  });

  it('is no time that a cluster decides: how long slots, blockhashes and finality take', () => {
    const chainTime =
      /about (?:a|half a) minute|\b(?:13|15|32|67|133) seconds|seconds (?:on mainnet|at slots)|32 slots|400 ms/;
    const texts = readdirSync(`${repository}docs`, { recursive: true, encoding: 'utf8' })
      // A decision says why it was made. The report of faults says what was measured, and the sandbox has slots of its own.
      .filter((path) => path.endsWith('.md') && !/^decisions|^reliability/.test(path))
      .map((path) => [path, readFileSync(join(repository, 'docs', path), 'utf8')] as const);
    for (const [path, text] of [...texts, ['README.md', read('README.md')] as const]) {
      assert.doesNotMatch(text.replaceAll(/\s+/g, ' '), chainTime, path);
    }
  });

  it('is that of the code: the rows of the table of memo costs', () => {
    const table = sources.find((path) => basename(path) === 'memo-cost-table.ts') ?? '';
    const rows = readFileSync(table, 'utf8').match(/\[0x/g)?.length;
    assert.ok(read('docs/decisions/core.md').includes(`Cost: ${rows} rows`), `${rows}`);
  });
});
