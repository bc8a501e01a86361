import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromBytes } from '../../../core/src/addresses/address.ts';
import { AccountBatcher } from '../../src/chain/account-batcher.ts';
import { silentObserver } from '../../src/chain/upstream-faults.ts';

const never = Number.POSITIVE_INFINITY;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const [one, other] = [1, 2].map((byte) => [addressFromBytes(new Uint8Array(32).fill(byte))]);
assert.ok(one && other);

/** A batcher whose calls take as long as the test says. */
function startBatcher() {
  const clock = { now: 0, roundTripMs: 0 };
  const answers: (() => void)[] = [];
  const batcher = new AccountBatcher({
    call: (addresses) =>
      new Promise((resolve) => {
        const accounts = addresses.map(() => null);
        answers.push(() => {
          clock.now += clock.roundTripMs;
          resolve({ slot: 1n, accounts, cut: new Set() });
        });
      }),
    callWhole: () => Promise.reject(new Error('nothing is cut')),
    observer: silentObserver,
    now: () => clock.now,
  });
  return { batcher, answers, clock };
}

test('While a call is under way, others wait for a twentieth of the mean round trip', async (t) => {
  const { batcher, answers, clock } = startBatcher();
  const timers = t.mock.method(globalThis, 'setTimeout');
  const waits: unknown[] = [];
  const expected: number[] = [];
  let mean = 0;
  for (const roundTripMs of [1_000, 1_000, 200]) {
    clock.roundTripMs = roundTripMs;
    const first = batcher.read(one, never);
    await turn();
    timers.mock.resetCalls();
    const second = batcher.read(other, never);
    // The first timer is of the batch, the second one of the request's deadline.
    waits.push(timers.mock.calls[0]?.arguments[1]);
    // The answer to the first sends the second, at the end of its turn.
    answers.shift()?.();
    await first;
    await turn();
    clock.roundTripMs = 0;
    expected.push(mean / 20);
    // The newest round trip counts for an eighth: that of the first call, and then that of the second.
    mean = (((7 * mean + roundTripMs) / 8) * 7) / 8;
    answers.shift()?.();
    await second;
  }
  assert.deepEqual(waits, expected);
});
