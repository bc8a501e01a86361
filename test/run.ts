/**
 * Runs every test: `npm test`. Files of the core, which is pure, run two at a time, all others as Node would run them; at the
 * end it says which files took longest. A test that hangs ends the run. One file is run by `npx node --test FILE`.
 */
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { repository } from './setup/process.ts';

const slowestShown = 25;
// The slowest file takes a minute and a half on a slow machine.
const hangMs = 600_000;

// Types are stripped and modules compiled once, not in each of some hundred processes.
process.env.NODE_COMPILE_CACHE ??= join(repository, '.compile-cache');

const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], { cwd: repository }).sort();
// The others have servers, deadlines and clocks, whose bounds are in milliseconds.
const isPure = (file: string): boolean => file.startsWith('packages/core/');
const usual = Math.max(1, availableParallelism() - 1);
const failed = new Set<string>();
const hung = new AbortController();
const durations: { file: string; seconds: number }[] = [];

await runFiles(files.filter(isPure), Math.max(2, usual));
if (!hung.signal.aborted) {
  await runFiles(
    files.filter((file) => !isPure(file)),
    usual,
  );
}

console.log(`\nThe slowest of ${durations.length} files:`);
const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}`);
// Said last, because what failed in the first part is far up.
for (const file of failed) console.log(`failed: ${file}`);

async function runFiles(some: readonly string[], concurrency: number): Promise<void> {
  const tests = run({
    cwd: repository,
    files: some.map((file) => join(repository, file)),
    concurrency,
    timeout: hangMs,
    signal: hung.signal,
  });
  tests.on('test:fail', ({ file, todo, details }) => {
    if ((todo !== undefined && todo !== false) || hung.signal.aborted) return;
    process.exitCode = 1;
    failed.add(file === undefined ? 'a file without a name' : relative(repository, file));
    // What it waits for may keep its process alive: nothing more is run, and it is the last that is named.
    if (details.duration_ms >= hangMs) hung.abort();
  });
  tests.on('test:summary', ({ file, duration_ms: durationMs }) => {
    if (file !== undefined) durations.push({ file: relative(repository, file), seconds: durationMs / 1_000 });
  });
  const report = tests.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await once(report, 'end');
}
