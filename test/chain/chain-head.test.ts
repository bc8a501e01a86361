import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';

const isLagging = (error: unknown): boolean => error instanceof UpstreamFault && error.kind === 'lagging';

function startHead() {
  const clock = { now: 0 };
  return { clock, head: new ChainHead({ maximumSlotLag: 8, now: () => clock.now }) };
}

test('Any slot is believed while none is known', () => {
  const { head } = startHead();
  assert.deepEqual(head.minContextSlot, {});
  head.accept(0n);
  assert.deepEqual(head.minContextSlot, {});
});

test('A slot is believed up to the tolerated lag behind the newest one, and no further', () => {
  const { head } = startHead();
  head.accept(1_000n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 992 });
  head.accept(992n);
  assert.throws(() => head.accept(991n), isLagging);
  assert.deepEqual([head.lagOf(991n), head.lagOf(1_000n), head.lagOf(1_001n)], [9n, 0n, 0n]);
  head.accept(1_010n);
  assert.throws(() => head.accept(1_001n), /9 slots behind/);
});

test('The newest slot is forgotten when it was not seen for ten seconds: the ledger may have been started anew', () => {
  const { head, clock } = startHead();
  head.accept(1_000n);
  clock.now = 5_000;
  head.accept(995n);
  clock.now = 9_999;
  assert.throws(() => head.accept(5n), isLagging);
  clock.now = 10_000;
  assert.deepEqual(head.minContextSlot, {});
  head.accept(500n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 492 });
  clock.now = 19_999;
  head.accept(500n);
  clock.now = 20_000;
  assert.throws(() => head.accept(491n), isLagging);
});
