import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { type FaultKind, UpstreamFault } from '../../src/chain/upstream-faults.ts';

const isOfKind = (kind: FaultKind) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const isLagging = isOfKind('lagging');

function startHead(hasSeveralUpstreams = false) {
  const clock = { now: 0 };
  const head = new ChainHead({ hasSeveralUpstreams, now: () => clock.now });
  const accept = (slot: bigint): void => {
    head.assertRecent(slot);
    head.note(slot);
  };
  return { clock, head, accept };
}

test('Any slot is accepted while none is known', () => {
  const { head, accept } = startHead();
  assert.deepEqual(head.minContextSlot, {});
  accept(0n);
  assert.deepEqual(head.minContextSlot, {});
});

test('No slot is asked for that every node has', () => {
  const { head, accept } = startHead();
  accept(10n);
  assert.deepEqual(head.minContextSlot, {});
  accept(11n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 1 });
});

test('A slot is accepted up to the tolerated lag behind the newest one, and no further', () => {
  const { head, accept } = startHead();
  accept(1_000n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 990 });
  accept(990n);
  assert.throws(() => accept(989n), isLagging);
  assert.deepEqual([head.lagOf(989n), head.lagOf(1_000n), head.lagOf(1_001n)], [11n, 0n, 0n]);
  accept(1_012n);
  assert.throws(() => accept(1_001n), /11 slots behind/);
});

test('The newest slot of a single upstream is forgotten when it was not seen for ten seconds: the ledger may have been restarted', () => {
  const { head, clock, accept } = startHead();
  accept(1_000n);
  clock.now = 5_000;
  accept(995n);
  clock.now = 9_999;
  assert.throws(() => accept(5n), isLagging);
  clock.now = 10_000;
  assert.deepEqual(head.minContextSlot, {});
  accept(500n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 490 });
  clock.now = 19_999;
  accept(500n);
  clock.now = 20_000;
  assert.throws(() => accept(489n), isLagging);
});

test('A slot follows on those seen in the last minute unless it is too far behind, or more than 150 ahead and one for each 100 ms that have begun', () => {
  const { head, clock, accept } = startHead(true);
  assert.equal(head.canFollow(1_000_000n), true, 'while none is known');
  accept(1_000n);
  const follow = (...slots: readonly bigint[]) => slots.map((slot) => head.canFollow(slot));
  assert.deepEqual(follow(989n, 990n, 1_150n, 1_151n), [false, true, true, false]);
  clock.now = 1_001;
  assert.deepEqual(follow(1_161n, 1_162n), [true, false]);
  clock.now = 59_999;
  assert.throws(() => accept(5n), isLagging);
  clock.now = 60_000;
  assert.deepEqual(follow(5n, 1_750n), [false, true]);
  accept(5n);
  assert.deepEqual(follow(6n, 156n), [true, false]);
});

test('Of several upstreams, one whose clock is more than 150 slots from its answer is not believed', () => {
  const { head } = startHead(true);
  for (const clockSlot of [850n, 1_000n, 1_150n]) head.assertClock(1_000n, clockSlot);
  for (const clockSlot of [849n, 1_151n]) {
    assert.throws(() => head.assertClock(1_000n, clockSlot), isOfKind('malformed'));
    startHead().head.assertClock(1_000n, clockSlot);
  }
});

test('The newest slot stands still when answers have shown the same one for ten seconds, and no longer once it moves', () => {
  const { head, clock, accept } = startHead();
  assert.equal(head.standstill, undefined);
  clock.now = 50_000;
  accept(1_000n);
  // Nobody has asked: it may have moved.
  clock.now = 70_000;
  assert.equal(head.standstill, undefined);
  accept(1_001n);
  clock.now = 79_999;
  accept(1_001n);
  accept(1_000n);
  assert.equal(head.standstill, undefined);
  clock.now = 80_000;
  accept(1_001n);
  assert.deepEqual(head.standstill, { slot: 1_001n, ms: 10_000 });
  accept(1_002n);
  assert.equal(head.standstill, undefined);
});
