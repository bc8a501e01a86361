import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { type FaultKind, UpstreamFault } from '../../src/chain/upstream-faults.ts';

const isOfKind = (kind: FaultKind) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const isLagging = isOfKind('lagging');
const isImplausible = isOfKind('implausible');

function startHead(hasSeveralUpstreams = false) {
  const clock = { now: 0 };
  const head = new ChainHead({ maxSlotLag: 8, hasSeveralUpstreams, now: () => clock.now });
  const accept = (slot: bigint, isVouched = false): void => head.accept(slot, isVouched, 'upstream_1');
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
  accept(8n);
  assert.deepEqual(head.minContextSlot, {});
  accept(9n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 1 });
});

test('A slot is accepted up to the tolerated lag behind the newest one, and no further', () => {
  const { head, accept } = startHead();
  accept(1_000n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 992 });
  accept(992n);
  assert.throws(() => accept(991n), isLagging);
  assert.deepEqual([head.lagOf(991n), head.lagOf(1_000n), head.lagOf(1_001n)], [9n, 0n, 0n]);
  accept(1_010n);
  assert.throws(() => accept(1_001n), /9 slots behind/);
});

test('The newest slot is forgotten when it was not seen for ten seconds: the ledger may have been restarted', () => {
  const { head, clock, accept } = startHead();
  accept(1_000n);
  clock.now = 5_000;
  accept(995n);
  clock.now = 9_999;
  assert.throws(() => accept(5n), isLagging);
  clock.now = 10_000;
  assert.deepEqual(head.minContextSlot, {});
  accept(500n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 492 });
  clock.now = 19_999;
  accept(500n);
  clock.now = 20_000;
  assert.throws(() => accept(491n), isLagging);
});

test('Of several upstreams, one far ahead of the others is not accepted until it has shown which ledger it serves', () => {
  const { clock, accept } = startHead(true);
  accept(1_000n);
  accept(1_150n);
  assert.throws(() => accept(1_301n), isImplausible);
  clock.now = 1_000;
  accept(1_310n);
  assert.throws(() => accept(1_000_000n), isImplausible);
  accept(1_000_000n, true);
  accept(1_000_001n);
});

test('Of several upstreams, one may be 150 slots ahead, and one more for each 100 ms that have begun since', () => {
  const { clock, accept } = startHead(true);
  accept(1_000n);
  clock.now = 1_001;
  assert.throws(() => accept(1_162n), isImplausible);
  accept(1_161n);
});

test('Of several upstreams, one whose clock is more than 150 slots from its answer is not believed', () => {
  const { head } = startHead(true);
  for (const clockSlot of [850n, 1_000n, 1_150n]) head.assertClock(1_000n, clockSlot);
  for (const clockSlot of [849n, 1_151n]) {
    assert.throws(() => head.assertClock(1_000n, clockSlot), isOfKind('malformed'));
    startHead().head.assertClock(1_000n, clockSlot);
  }
});

test('Of several upstreams, one that restarts at a lower slot is accepted only once it has shown which ledger it serves', () => {
  const { clock, accept } = startHead(true);
  accept(1_000n);
  assert.throws(() => accept(5n, true), isLagging);
  clock.now = 10_000;
  assert.throws(() => accept(5n), isImplausible);
  accept(5n, true);
  accept(6n);
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

test('A single upstream may be any slots ahead: a test may let the slots of its ledger pass at once', () => {
  const { accept } = startHead();
  accept(1_000n);
  accept(1_000_000n);
});

describe('where two upstreams must agree', () => {
  const start = () => {
    const clock = { now: 0 };
    const head = new ChainHead({ maxSlotLag: 8, quorum: 2, hasSeveralUpstreams: true, now: () => clock.now });
    const accept = (upstream: string, slot: bigint): void => head.accept(slot, true, upstream);
    const newest = (): number => (head.minContextSlot.minContextSlot ?? 0) + 8;
    return { clock, head, accept, newest };
  };

  test('the newest slot is the second highest that upstreams have shown', () => {
    const { accept, newest } = start();
    accept('a', 1_000n);
    assert.equal(newest(), 8, 'one alone shows none');
    accept('a', 1_001n);
    assert.equal(newest(), 8, 'however often it does');
    accept('b', 900n);
    assert.equal(newest(), 900);
    accept('c', 950n);
    assert.equal(newest(), 950);
    accept('b', 1_100n);
    assert.equal(newest(), 1_001);
  });
});
