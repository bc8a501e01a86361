import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { type FaultKind, UpstreamFault } from '../../src/chain/upstream-faults.ts';

const isOfKind = (kind: FaultKind) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;
const isLagging = isOfKind('lagging');
const isImplausible = isOfKind('implausible');

function startHead(hasSeveralUpstreams = false) {
  const clock = { now: 0 };
  const head = new ChainHead({ maximumSlotLag: 8, hasSeveralUpstreams, now: () => clock.now });
  const accept = (slot: bigint, isVouched = false): void => head.accept(slot, isVouched);
  return { clock, head, accept };
}

test('Any slot is believed while none is known', () => {
  const { head, accept } = startHead();
  assert.deepEqual(head.minContextSlot, {});
  accept(0n);
  assert.deepEqual(head.minContextSlot, {});
});

test('A slot is believed up to the tolerated lag behind the newest one, and no further', () => {
  const { head, accept } = startHead();
  accept(1_000n);
  assert.deepEqual(head.minContextSlot, { minContextSlot: 992 });
  accept(992n);
  assert.throws(() => accept(991n), isLagging);
  assert.deepEqual([head.lagOf(991n), head.lagOf(1_000n), head.lagOf(1_001n)], [9n, 0n, 0n]);
  accept(1_010n);
  assert.throws(() => accept(1_001n), /9 slots behind/);
});

test('The newest slot is forgotten when it was not seen for ten seconds: the ledger may have been started anew', () => {
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

test('Of several upstreams, one far ahead of what another has shown is not believed until it has shown which ledger it serves', () => {
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

test('Of several upstreams, one that begins anew at a lower slot is believed only when it has shown which ledger it serves', () => {
  const { clock, accept } = startHead(true);
  accept(1_000n);
  assert.throws(() => accept(5n, true), isLagging);
  clock.now = 10_000;
  assert.throws(() => accept(5n), isImplausible);
  accept(5n, true);
  accept(6n);
});

test('A single upstream may be any slots ahead: a test may let the slots of its ledger pass at once', () => {
  const { accept } = startHead();
  accept(1_000n);
  accept(1_000_000n);
});
