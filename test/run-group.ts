/** Runs test files in this one process, prints their report, and tells the process that started it how that went: `test/run.ts`. */
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { repository } from './setup/process.ts';
import { type NotRun, skipNotInstalled } from './setup/skip-not-installed.ts';

/** How the tests of a group went. */
export interface GroupResult {
  tests: number;
  pass: number;
  fail: number;
  skipped: number;
  /** The files of which a test failed. */
  failed: readonly string[];
  /** How long each file took, in milliseconds. */
  durations: Readonly<Record<string, number>>;
  /** How many tests were not run, by the sentence that says which program is missing. */
  notRun: Readonly<Record<string, number>>;
}

// One that waits for what never comes is ended, and named.
const testLimitMs = 180_000;

const notRun: NotRun = new Map();
const counts = { tests: 0, pass: 0, fail: 0, skipped: 0 };
const failed = new Set<string>();
const durations: Record<string, number> = {};

const tests = run({
  cwd: repository,
  files: process.argv.slice(2).map((file) => join(repository, file)),
  isolation: 'none',
  timeout: testLimitMs,
});
const events = count(process.env.CI ? tests : skipNotInstalled(tests, notRun));
const printed = Readable.from(events).pipe(new spec());
printed.pipe(process.stdout, { end: false });
await once(printed, 'end');
const result: GroupResult = { ...counts, failed: [...failed], durations, notRun: Object.fromEntries(notRun) };
// What a failed test left open does not keep the process; whoever listens for its end hears that a test failed.
process.send?.(result, () => process.exit(counts.fail > 0 ? 1 : 0));

async function* count(all: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of all) {
    if (event.type === 'test:fail' || event.type === 'test:pass') note(event);
    yield event;
  }
}

function note({ type, data }: Extract<TestEvent, { type: 'test:fail' | 'test:pass' }>): void {
  const file = data.file === undefined ? 'a file without a name' : relative(repository, data.file);
  if (data.nesting === 0) durations[file] = (durations[file] ?? 0) + data.details.duration_ms;
  if (type === 'test:fail') failed.add(file);
  if (data.details.type === 'suite') return;
  counts.tests++;
  counts[type === 'test:fail' ? 'fail' : data.skip === undefined ? 'pass' : 'skipped']++;
}
