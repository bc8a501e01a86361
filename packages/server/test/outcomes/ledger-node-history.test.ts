import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changesIn } from '../chain/balances.ts';
import { historyOf, LedgerNodeHistory } from './ledger-node-history.ts';
import { memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();

describe('a node over a ledger', () => {
  test('lists a transfer with its memo, shows it and its status, and knows the height of its block', async () => {
    const item = await scene.build({ memo: memoOf('invoice 1001') });
    const signature = scene.land(item);
    const node = new LedgerNodeHistory(scene.ledger);
    const [entry] = await node.readSignatures(item.intent.source, {});
    assert.equal(entry?.signature, signature);
    assert.equal(entry.memo, '[12] invoice 1001');
    assert.equal(entry.commitment, 'confirmed');
    const { slot, statuses } = await node.readStatuses([signature, 'another']);
    assert.equal(slot, scene.ledger.slot());
    assert.deepEqual(statuses, [{ slot: entry.slot, error: null, commitment: 'confirmed' }, null]);
    const landed = await node.readTransaction(signature);
    const [payment] = item.intent.payments;
    assert.equal(changesIn(landed).get(payment?.destination ?? ''), payment?.amount);
    assert.equal(changesIn(landed).get(item.intent.source), -(payment?.amount ?? 0n));
    assert.equal(await node.readBlockHeight(entry.slot), scene.ledger.block(entry.slot)?.blockHeight);
    assert.equal(await node.readBlockHeight(entry.slot + 1n), null);
    assert.deepEqual(node.calls, [
      'readSignatures',
      'readStatuses',
      'readTransaction',
      'readBlockHeight',
      'readBlockHeight',
    ]);
  });

  test('that lags has neither the transfer nor the height, and refuses a slot that it has not reached', async () => {
    const item = await scene.build();
    const signature = scene.land(item);
    const node = new LedgerNodeHistory(scene.ledger, 'upstream_2', { lagSlots: 1 });
    assert.deepEqual((await node.readStatuses([signature])).statuses, [null]);
    assert.equal(await node.readTransaction(signature), null);
    const ahead = await new LedgerNodeHistory(scene.ledger).readFinalizedHeight();
    const behind = await node.readFinalizedHeight();
    assert.equal(behind.blockHeight, ahead.blockHeight - 1n);
    await assert.rejects(node.readSignatures(item.intent.source, { minContextSlot: scene.ledger.slot() }));
  });

  test('accepts a blockhash until 150 blocks after it in its newest and its finalized block', async () => {
    const { intent } = await scene.build();
    assert.ok('blockhash' in intent.lifetime);
    const { blockhash } = intent.lifetime;
    const node = new LedgerNodeHistory(scene.ledger);
    assert.equal(await node.isBlockhashAlive(blockhash), true);
    scene.ledger.advanceSlots(150 + 32);
    assert.equal(await node.isBlockhashAlive(blockhash), true);
    scene.ledger.advanceSlots(1);
    assert.equal(await node.isBlockhashAlive(blockhash), false);
  });
});

test('a history of one node needs its word alone, one of several that of two, or of as many as must agree', () => {
  const nodes = ['1', '2', '3'].map((name) => new LedgerNodeHistory(scene.ledger, name));
  const needs = (count: number, quorum?: number) => {
    const { neededDenials, neededSightings } = historyOf(nodes.slice(0, count), quorum ? { quorum } : {});
    return [neededDenials, neededSightings];
  };
  assert.deepEqual(
    [needs(1), needs(2), needs(3), needs(3, 3)],
    [
      [1, 1],
      [2, 1],
      [2, 1],
      [3, 3],
    ],
  );
});
