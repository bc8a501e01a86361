import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validityWindowOf } from '../../src/outcomes/validity-window.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory, type NodeFaults } from './ledger-node-history.ts';
import { memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

test('a node that says it had come only before its own finalized slot when it knew no status says nothing', async () => {
  const item = scene.signed(await scene.build({ memo: memoOf('two nodes behind one address') }));
  scene.finalize((item.lastValidBlockHeight ?? 0n) + 2n);
  const finalized = ledger.slot() - 32n;
  /** A node whose statuses are as of this slot. */
  const nodeAt = (slot: bigint): LedgerNodeHistory => {
    const node = new LedgerNodeHistory(ledger);
    const read = node.readStatuses.bind(node);
    node.readStatuses = async (signatures) => ({ ...(await read(signatures)), slot });
    return node;
  };
  assertOutcome(await verdictOn(scene, item, [nodeAt(finalized - 1n)]), 'unknown', 'too_few_nodes');
  for (const slot of [finalized, finalized + 1n]) {
    assertOutcome(await verdictOn(scene, item, [nodeAt(slot)]), 'expired');
  }
});

test('a node whose first slot is the lowest that a life can reach has seen all of it, whatever it says of that block', async () => {
  ledger.advanceSlots(2_500);
  const item = scene.signed(await scene.build({ memo: memoOf('a whole life') }));
  scene.finalize((item.lastValidBlockHeight ?? 0n) + 2n);
  const window = validityWindowOf(item, await new LedgerNodeHistory(ledger).readFinalizedHeight());
  assert.ok(window);
  const nodeFrom = (firstSlot: bigint, failing: NodeFaults['failing'] = new Set()): LedgerNodeHistory =>
    new LedgerNodeHistory(ledger, 'upstream_1', { firstSlot, failing });
  const withoutHeights = new Set(['readBlockHeight'] as const);
  assertOutcome(await verdictOn(scene, item, [nodeFrom(window.floorSlot, withoutHeights)]), 'expired');
  await assert.rejects(verdictOn(scene, item, [nodeFrom(window.floorSlot + 1n, withoutHeights)]));
  assertOutcome(await verdictOn(scene, item, [nodeFrom(window.floorSlot + 1n)]), 'expired');
});
