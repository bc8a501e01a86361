import type { TestEvent } from 'node:test/reporters';
import { readNotInstalled } from './not-installed.ts';

/** How many tests were not run for want of each program, by the line that says so. */
export type NotRun = Map<string, number>;

/**
 * The events of a run, in which a test that failed only because a program is not installed is a skipped one. It is counted in
 * `notRun`; a file that cannot be loaded without the program counts as one test.
 */
export async function* skipNotInstalled(events: AsyncIterable<TestEvent>, notRun: NotRun): AsyncGenerator<TestEvent> {
  // What each file wrote: the failure of one that cannot be loaded does not say why.
  const written = new Map<string | undefined, string>();
  // What has failed at each depth of the suites that are open.
  const failedDepths = new Map<number, 'excused' | 'failed'>();
  let excused = 0;
  for await (const event of events) {
    if (event.type === 'test:stderr') {
      const { file, message } = event.data;
      written.set(file, `${written.get(file) ?? ''}${message}`);
    }
    if (event.type !== 'test:fail') {
      if (event.type === 'test:pass') failedDepths.delete(event.data.nesting + 1);
      yield event.type === 'test:diagnostic' ? recounted(event, excused) : event;
      continue;
    }
    const { name, nesting, file, details } = event.data;
    const missing = readNotInstalled(name === file ? new Error(written.get(file)) : details.error);
    const isSuite = 'failureType' in details.error && details.error.failureType === 'subtestsFailed';
    // A suite fails where one of its tests does: it is excused where all that failed in it are.
    const isExcused = missing !== undefined || (isSuite && failedDepths.get(nesting + 1) === 'excused');
    failedDepths.delete(nesting + 1);
    if (!isExcused) failedDepths.set(nesting, 'failed');
    else if (!failedDepths.has(nesting)) failedDepths.set(nesting, 'excused');
    if (missing) notRun.set(missing, (notRun.get(missing) ?? 0) + 1);
    if (isExcused && details.type !== 'suite') excused++;
    const skip = missing ?? 'another test of its suite was not run';
    yield isExcused ? { type: 'test:pass', data: { ...event.data, skip } } : event;
  }
}

type Diagnostic = Extract<TestEvent, { type: 'test:diagnostic' }>;

// At the end the run says how many tests failed and how many were skipped.
function recounted(event: Diagnostic, excused: number): Diagnostic {
  const [, word, count] = /^(fail|skipped) (\d+)$/.exec(event.data.message) ?? [];
  if (word === undefined) return event;
  const message = `${word} ${Number(count) + (word === 'fail' ? -excused : excused)}`;
  return { ...event, data: { ...event.data, message } };
}
