/**
 * Runs the tests: `npm test`, or `npm test -- links keys` for the files whose paths hold one of these words. `--unit` runs only those
 * of the core, the JSON contract, the pages and the client, within a minute. Those that measure time run only where a word names
 * them (`npm test -- chaos`), because anything else on the machine can fail them.
 *
 * Unit tests share two processes, all others have one for each file, three at a time; those that measure time run alone. They
 * share one PostgreSQL and one browser. At the end it says which files took longest, what was not run because a program is not
 * installed (with `CI=true` that is a failure), and which files failed. A file that hangs ends the run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { startSharedBrowser } from './setup/browser.ts';
import { readNotInstalled } from './setup/not-installed.ts';
import { startSharedPostgres } from './setup/postgres.ts';
import { repository } from './setup/process.ts';
import { type NotRun, skipNotInstalled } from './setup/skip-not-installed.ts';

const slowestShown = 25;
// The slowest file takes a minute and a half on a slow machine.
const hangMs = 600_000;
// The process with most unit tests takes ten minutes there, beside the other parts of a whole check.
const processHangMs = 1_800_000;
// Files mostly wait: for processes to start, and for slots.
const filesAtOnce = 3;

// Types are stripped and modules compiled once, not in each of some hundred processes.
process.env.NODE_COMPILE_CACHE ??= join(repository, '.compile-cache');

const isCore = (file: string): boolean => file.startsWith('packages/core/');
// Tests of these rooms of the server start other processes, or databases.
const isUnit = (file: string): boolean =>
  file.startsWith('packages/') &&
  !/^packages\/server\/test\/(cli|keys|limits|pages\/snippets|serve|store)\b/.test(file);
const isQuick = (file: string): boolean =>
  isUnit(file) && /^packages\/(?:core|client|server\/test\/(?:wire|pages))\//.test(file);

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], { cwd: repository })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => !process.argv.includes('--unit') || isQuick(file))
  .sort();
const measuresTime = (file: string): boolean => /^test\/chaos\/(chaos|load)\./.test(file);

const failed = new Set<string>();
const notRun: NotRun = new Map();
const hung = new AbortController();
const durations: { file: string; seconds: number }[] = [];

const otherUnits = runInOneProcess(
  'other unit tests',
  files.filter((file) => isUnit(file) && !isCore(file)),
);
// What runs beside the rest of them mostly waits.
await runInOneProcess('unit tests of the core', files.filter(isCore));
const others = files.filter((file) => !isUnit(file));
if (others.length > 0) {
  const stopServers = await startSharedServers();
  await runFiles(
    others.filter((file) => !measuresTime(file)),
    filesAtOnce,
  );
  if (words.length > 0) await runFiles(others.filter(measuresTime), 1);
  await stopServers();
}
await otherUnits;

console.log('\nWhat took longest:');
const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}`);
for (const [sentence, tests] of notRun)
  console.log(`not run: ${tests} test${tests === 1 ? '' : 's'}, because ${sentence}`);
// Said last, because what failed in the first part is far up.
for (const file of failed) console.log(`failed: ${file}`);

async function startSharedServers(): Promise<() => Promise<void>> {
  const finishers: (() => Promise<void>)[] = [];
  const cleanup = { after: (finish: () => Promise<void>) => void finishers.push(finish) };
  for (const start of [startSharedPostgres, startSharedBrowser]) {
    await start(cleanup).catch((error: unknown) => {
      // The tests that need it say so.
      if (readNotInstalled(error) === undefined) throw error;
    });
  }
  return async () => {
    for (const finish of finishers) await finish();
  };
}

async function runInOneProcess(name: string, some: readonly string[]): Promise<void> {
  if (some.length === 0) return;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, '--test', '--test-isolation=none', ...some], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: processHangMs,
  });
  // In one piece, because two run at a time.
  const output = await child.stdout.setEncoding('utf8').toArray();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  console.log(output.join(''));
  durations.push({ file: `${some.length} files: ${name}`, seconds: (performance.now() - startedAt) / 1_000 });
  if (child.exitCode === 0) return;
  process.exitCode = 1;
  failed.add(`${name}: ${child.killed ? `not done after ${processHangMs / 60_000} minutes` : 'see ✖ above'}`);
}

async function runFiles(some: readonly string[], concurrency: number): Promise<void> {
  if (some.length === 0 || hung.signal.aborted) return;
  const tests = run({
    cwd: repository,
    files: some.map((file) => join(repository, file)),
    concurrency,
    timeout: hangMs,
    signal: hung.signal,
  });
  const events = noteEvents(process.env.CI ? tests : skipNotInstalled(tests, notRun));
  const report = Readable.from(events).pipe(new spec());
  report.pipe(process.stdout, { end: false });
  await once(report, 'end');
}

async function* noteEvents(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    if (event.type === 'test:fail') noteFailure(event.data);
    if (event.type === 'test:summary' && event.data.file !== undefined) {
      const { file, duration_ms: durationMs } = event.data;
      durations.push({ file: relative(repository, file), seconds: durationMs / 1_000 });
    }
    yield event;
  }
}

function noteFailure({ file, todo, details }: Extract<TestEvent, { type: 'test:fail' }>['data']): void {
  if ((todo !== undefined && todo !== false) || hung.signal.aborted) return;
  process.exitCode = 1;
  failed.add(file === undefined ? 'a file without a name' : relative(repository, file));
  // What it waits for may keep its process alive: nothing more is run, and it is the last that is named.
  if (details.duration_ms >= hangMs) hung.abort();
}
