import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FinalizedSlot } from '../../src/chain/rpc-node-history.ts';

function startAt(now: number) {
  const clock = { now };
  return { clock, finalized: new FinalizedSlot(() => clock.now) };
}

test('the finalized slot is the newest that a node has shown, and 0 before it has shown any', () => {
  const { finalized } = startAt(5);
  assert.equal(finalized.slot, 0n);
  for (const [shown, newest] of [
    [100n, 100n],
    [99n, 100n],
    [101n, 101n],
  ] as const) {
    finalized.note(shown);
    assert.equal(finalized.slot, newest);
  }
});

test('it is forgotten after ten seconds in which the node has shown neither it nor a newer one', () => {
  const { clock, finalized } = startAt(0);
  finalized.note(100n);
  clock.now = 9_999;
  assert.equal(finalized.slot, 100n);
  finalized.note(99n);
  clock.now = 10_000;
  assert.equal(finalized.slot, 0n);
  // A ledger that was started again begins lower.
  finalized.note(7n);
  assert.equal(finalized.slot, 7n);
  clock.now = 15_000;
  finalized.note(7n);
  clock.now = 24_999;
  assert.equal(finalized.slot, 7n, 'it was shown again');
});
