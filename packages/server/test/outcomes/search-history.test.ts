import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nonsense } from '../../src/chain/upstream-faults.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

describe('among more transactions than are looked at in one go', () => {
  test('a transaction is found by its message, though newer ones make the same payment', async () => {
    const item = await scene.build({ amount: 17n });
    const signature = scene.land(item);
    for (let count = 0; count < 9; count += 1) scene.landChanged(await scene.build({ amount: 17n }));
    const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
    assert.deepEqual([verdict.signature, verdict.matchedBy, verdict.ambiguous], [signature, 'message', undefined]);
  });

  test('a payment that a wallet changed is found, though the transaction as it was built failed later', async () => {
    const item = await scene.build({ amount: 200_000_000_000n });
    const signature = scene.landChanged(item);
    for (let count = 1; count < 10; count += 1) scene.land(await scene.build({ amount: BigInt(count) }));
    scene.land(await scene.build({ amount: 700_000_000_000n }));
    const failed = scene.land(item);
    assert.notEqual(ledger.transactionRecord(failed)?.error, null);
    scene.finalize((item.lastValidBlockHeight ?? 0n) + 152n);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'landed').signature, signature);
  });
});

test('where a node keeps no blocks, an equal payment may be the one', async () => {
  const item = await scene.build({ memo: memoOf('no blocks') });
  const signature = scene.landChanged(item);
  const node = new LedgerNodeHistory(ledger);
  node.readBlockHeight = async () => {
    throw nonsense('refused', 'it keeps no blocks');
  };
  const verdict = assertOutcome(await verdictOn(scene, item, [node]), 'pending', 'lifetime');
  assert.deepEqual(verdict.similar, [signature]);
});
