import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { notInstalled } from './not-installed.ts';
import { type NotRun, skipNotInstalled } from './skip-not-installed.ts';

const file = '/test/pages.test.ts';
const sentence = 'Chromium is not installed: apt-get install chromium';
const missing = notInstalled('Chromium', 'chromium');
const data = { testNumber: 1, testId: 1, parentId: undefined, tags: [], file, line: 1, column: 1 };

const failure = (name: string, nesting: number, error: Error): TestEvent => {
  const caused = Object.assign(error, { cause: error.cause instanceof Error ? error.cause : new Error(error.message) });
  const type = error.message === 'subtestsFailed' ? 'suite' : 'test';
  return { type: 'test:fail', data: { ...data, name, nesting, details: { duration_ms: 1, type, error: caused } } };
};
const pass = (name: string, nesting: number): TestEvent => ({
  type: 'test:pass',
  data: { ...data, name, nesting, details: { duration_ms: 1 } },
});
const because = (failureType: string, cause?: Error): Error =>
  Object.assign(new Error(failureType, { cause }), { failureType });

/** Returns the names of the tests that failed and of those that were skipped, and what was counted. */
async function report(events: readonly TestEvent[]) {
  const notRun: NotRun = new Map();
  const failed: string[] = [];
  const skipped: string[] = [];
  const said: string[] = [];
  const failures = events.filter(({ type, data }) => type === 'test:fail' && data.details.type !== 'suite');
  async function* source() {
    yield* events;
    for (const message of [`fail ${failures.length}`, 'skipped 0'])
      yield { type: 'test:diagnostic', data: { ...data, nesting: 0, level: 'info', message } } as const;
  }
  for await (const event of skipNotInstalled(source(), notRun)) {
    if (event.type === 'test:fail') failed.push(event.data.name);
    if (event.type === 'test:pass' && event.data.skip !== undefined) skipped.push(event.data.name);
    if (event.type === 'test:diagnostic') said.push(event.data.message);
  }
  return { failed, skipped, notRun: [...notRun], said };
}

describe('a run without a program', () => {
  it('skips the tests that need it, and the suite of which nothing else failed', async () => {
    const events = [
      failure('looks right', 1, because('testCodeFailure', missing)),
      pass('has a title', 1),
      failure('the page', 0, because('subtestsFailed')),
    ];
    assert.deepEqual(await report(events), {
      failed: [],
      skipped: ['looks right', 'the page'],
      notRun: [[sentence, 1]],
      said: ['fail 0', 'skipped 1'],
    });
  });

  it('fails a suite of which another test failed, and what is around it', async () => {
    const events = [
      failure('looks right', 2, missing),
      failure('adds up', 2, new Error('3 is not 4')),
      failure('the sum', 1, because('subtestsFailed')),
      pass('has a title', 1),
      failure('the page', 0, because('subtestsFailed')),
      failure('looks right, too', 1, missing),
      failure('the other page', 0, because('subtestsFailed')),
    ];
    assert.deepEqual(await report(events), {
      failed: ['adds up', 'the sum', 'the page'],
      skipped: ['looks right', 'looks right, too', 'the other page'],
      notRun: [[sentence, 2]],
      said: ['fail 1', 'skipped 2'],
    });
  });

  it('fails a test that never ended, and its suite', async () => {
    const events = [
      failure('looks right', 1, because('cancelledByParent')),
      failure('the page', 0, because('subtestsFailed')),
      failure('is pending', 0, because('cancelledByParent')),
    ];
    assert.deepEqual((await report(events)).failed, ['looks right', 'the page', 'is pending']);
  });

  it('skips a file that cannot be loaded without it, and fails one that cannot be loaded', async () => {
    const unloaded = failure(file, 0, because('testCodeFailure', new Error('test failed')));
    const says = (message: string): TestEvent => ({ type: 'test:stderr', data: { file, message } });
    const stack = `return new Error(\`\${program} is not installed: apt-get install \${packageName}\`)\nError: ${sentence}\n    at`;
    const skipped = await report([says(stack), unloaded]);
    assert.deepEqual(skipped, { failed: [], skipped: [file], notRun: [[sentence, 1]], said: ['fail 0', 'skipped 1'] });
    assert.deepEqual((await report([says('SyntaxError: Unexpected token\n'), unloaded])).failed, [file]);
  });
});
