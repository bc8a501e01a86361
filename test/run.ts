/**
 * Runs the tests.
 *
 *   npm test                 what to run while working: all unit tests, and one end-to-end file for each capability, on SQLite alone and
 *                            with a tenth of the runs of each property
 *   npm test -- links keys   all files whose paths hold one of these words
 *   npm run test:all         everything but what measures time, which runs only where a word names it: npm test -- chaos
 *
 * Each group of files is one process, three at a time; they share one PostgreSQL and one browser. At the end it says which files took
 * longest, what was not run because a program is not installed (with `CI=true` that is a failure), which files failed, and the sums.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupResult } from './run-group.ts';
import { startSharedBrowser } from './setup/browser.ts';
import { readNotInstalled } from './setup/not-installed.ts';
import { startSharedPostgres } from './setup/postgres.ts';
import { repository } from './setup/process.ts';

const slowestShown = 15;
const groupsAtOnce = 3;
// The longest group takes some three minutes on a slow machine.
const groupLimitMs = 900_000;

// Types are stripped and modules compiled once, not in each process.
process.env.NODE_COMPILE_CACHE ??= join(repository, '.compile-cache');

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isQuick = words.length === 0 && !process.argv.includes('--all');
if (isQuick) process.env.TEST_QUICK = '1';

// One for each capability: a transfer of each operation, a batch, an outcome, a keyed retry, a link, its page in a browser, keys.
const quickEndToEnd: ReadonlySet<string> = new Set(
  ['transfers/transfer', 'batches/batches', 'outcomes/outcomes', 'idempotency/idempotency', 'links/links']
    .concat('pages/pay-page', 'keys/keys')
    .map((name) => `test/e2e/${name}.test.ts`),
);
const isAmongQuick = (file: string): boolean =>
  (file.startsWith('packages/') && !file.includes('postgres')) ||
  /^test\/[\w.-]+$/.test(file) ||
  quickEndToEnd.has(file);

/** The files of one process: a room of the server, a package, a folder of end-to-end tests, or all the rest. */
const groupOf = (file: string): string =>
  /^packages\/server\/test\/(?:app|chain|links|transfers)\b/.exec(file)?.[0] ??
  (isQuick ? undefined : /^test\/(?:e2e\/\w+|chaos|judge)\b/.exec(file)?.[0]) ??
  /^(?:packages\/\w+|test)\b/.exec(file)?.[0] ??
  file;
const measuresTime = (file: string): boolean => /^test\/chaos\/(?:chaos|load)\./.test(file);

const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], { cwd: repository })
  .filter((file) => (words.length === 0 ? !measuresTime(file) : words.some((word) => file.includes(word))))
  .filter((file) => !isQuick || isAmongQuick(file))
  .sort();
const groups = Map.groupBy(files, groupOf);

const results: GroupResult[] = [];
const stopServers = await startSharedServers();
// The largest first, so that both lanes end about together.
const waiting = [...groups.entries()]
  .filter(([name]) => name !== 'test/chaos')
  .sort(([, one], [, other]) => other.length - one.length);
const lane = async (): Promise<void> => {
  for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runGroup(...group);
};
await Promise.all(Array.from({ length: groupsAtOnce }, lane));
// What measures time has the machine to itself.
await runGroup('test/chaos', groups.get('test/chaos') ?? []);
await stopServers();
report();

async function startSharedServers(): Promise<() => Promise<void>> {
  const finishers: (() => Promise<void>)[] = [];
  const cleanup = { after: (finish: () => Promise<void>) => void finishers.push(finish) };
  const needed = [...(isQuick ? [] : [startSharedPostgres]), startSharedBrowser];
  for (const start of files.some((file) => !file.startsWith('packages/core/')) ? needed : []) {
    await start(cleanup).catch((error: unknown) => {
      // The tests that need it say so.
      if (readNotInstalled(error) === undefined) throw error;
    });
  }
  return async () => {
    for (const finish of finishers) await finish();
  };
}

/** Runs some files in one process, and prints what it printed in one piece when it has ended. */
async function runGroup(name: string, some: readonly string[]): Promise<void> {
  if (some.length === 0) return;
  const child = fork(join(import.meta.dirname, 'run-group.ts'), some, {
    cwd: repository,
    execArgv: process.execArgv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: groupLimitMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let result: GroupResult = {
    tests: 1,
    pass: 0,
    fail: 1,
    skipped: 0,
    failed: [`${name}: its process ended`],
    durations: {},
    notRun: {},
  };
  child.on('message', (message: GroupResult) => {
    result = message;
  });
  await once(child, 'close');
  console.log(`${name}\n${output}`);
  results.push(result);
}

function report(): void {
  const sum = (count: 'fail' | 'pass' | 'skipped' | 'tests'): number =>
    results.reduce((all, each) => all + each[count], 0);
  const slowest = results
    .flatMap(({ durations }) => Object.entries(durations))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, slowestShown);
  console.log('What took longest:');
  for (const [file, ms] of slowest) console.log(`${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}`);
  for (const { notRun } of results)
    for (const [sentence, tests] of Object.entries(notRun)) console.log(`not run: ${tests} tests, because ${sentence}`);
  for (const { failed } of results) for (const file of failed) console.log(`failed: ${file}`);
  for (const count of ['tests', 'pass', 'fail', 'skipped'] as const) console.log(`ℹ ${count} ${sum(count)}`);
  if (sum('fail') > 0 || sum('tests') === 0) process.exitCode = 1;
}
