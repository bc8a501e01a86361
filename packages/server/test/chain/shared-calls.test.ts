import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SharedCalls, type SharedCallsOptions } from '../../src/chain/shared-calls.ts';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { isAppError } from '../../src/problems.ts';

const never = Number.POSITIVE_INFINITY;
const isTooSlow = (error: unknown): boolean => isAppError(error, 'upstream_timeout');

/** Shared calls that the test answers, and a clock that it moves. */
function startCalls(t: TestContext, options: Omit<SharedCallsOptions, 'now'> = {}) {
  const clock = { now: 10_000 };
  const sent: { deadline: number; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const calls = new SharedCalls<string>({ ...options, now: () => clock.now });
  const read = (key = 'a', deadline = never): Promise<string> =>
    calls.read(key, deadline, (until) => new Promise((answer, fail) => sent.push({ deadline: until, answer, fail })));
  t.after(() => {
    for (const call of sent) call.answer('too late');
  });
  return { clock, sent, read };
}

test('One call serves every request for the same within 400 ms, before and after its answer', async (t) => {
  const { clock, sent, read } = startCalls(t);
  const waiting = [read(), read()];
  clock.now += 399;
  waiting.push(read());
  assert.equal(sent.length, 1);
  sent[0]?.answer('first');
  assert.deepEqual(await Promise.all(waiting), ['first', 'first', 'first']);
  assert.equal(await read(), 'first');
  clock.now += 1;
  const later = read();
  assert.equal(sent.length, 2);
  sent[1]?.answer('second');
  assert.equal(await later, 'second');
});

test('Of answers the newest ones are kept, up to a number', async (t) => {
  const { sent, read } = startCalls(t, { max: 2 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    const first = read(key);
    sent[index]?.answer(`of ${key}`);
    assert.equal(await first, `of ${key}`);
  }
  assert.deepEqual([await read('b'), await read('c')], ['of b', 'of c']);
  assert.equal(sent.length, 3);
  const again = read('a');
  assert.equal(sent.length, 4);
  sent[3]?.answer('of a again');
  assert.equal(await again, 'of a again');
});

test('An answer serves for as long as it is told', async (t) => {
  const { clock, sent, read } = startCalls(t, { keepMs: 5_000 });
  const first = read();
  sent[0]?.answer('first');
  await first;
  clock.now += 4_999;
  assert.equal(await read(), 'first');
  clock.now += 1;
  read().catch(() => undefined);
  assert.equal(sent.length, 2);
});

test('Requests for something else have calls of their own', async (t) => {
  const { sent, read } = startCalls(t);
  const reads = [read('a'), read('b')];
  sent[0]?.answer('of a');
  sent[1]?.answer('of b');
  assert.deepEqual(await Promise.all(reads), ['of a', 'of b']);
});

test('A call that failed fails the requests that wait for it, and no later one', async (t) => {
  const { sent, read } = startCalls(t);
  const reads = [read(), read()];
  sent[0]?.fail(unavailable('node', 'it is away'));
  for (const each of reads) await assert.rejects(each, (error) => isAppError(error, 'upstream_unavailable'));
  const again = read();
  sent[1]?.answer('well');
  assert.equal(await again, 'well');
});

test('A request waits until its own deadline, and one that is over sends nothing', async (t) => {
  const { clock, sent, read } = startCalls(t);
  const [hasty, patient] = [read('a', clock.now + 10), read('a', clock.now + 400)];
  await assert.rejects(hasty, isTooSlow);
  sent[0]?.answer('in time');
  assert.equal(await patient, 'in time');
  await assert.rejects(read('b', clock.now), isTooSlow);
  assert.equal(sent.length, 1);
});

test('A call that is given up long before a request is over does not serve it, unless its answer is there', async (t) => {
  const { clock, sent, read } = startCalls(t);
  const hasty = read('a', clock.now + 50);
  const patient = read('a', clock.now + 5_000);
  assert.deepEqual(
    sent.map(({ deadline }) => deadline - clock.now),
    [50, 5_000],
  );
  for (const call of sent) call.answer('there');
  assert.deepEqual(await Promise.all([hasty, patient]), ['there', 'there']);
  assert.equal(await read('a', clock.now + 60_000), 'there');
});
