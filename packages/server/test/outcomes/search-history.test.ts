import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nonsense, tooSlow } from '../../src/chain/upstream-faults.ts';
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

test('where the history of one of its accounts cannot be read, that of the other shows it, or that it is not there', async () => {
  const paid = await scene.build({ memo: memoOf('one history'), amount: 18n });
  const signature = scene.landChanged(paid);
  const unpaid = await scene.build({ memo: memoOf('no payment'), amount: 19n });
  const cannotRead = (subjects: readonly (string | undefined)[]): LedgerNodeHistory => {
    const node = new LedgerNodeHistory(ledger);
    node.faults.before = (method, subject) => {
      if (method === 'readSignatures' && subjects.includes(subject)) throw tooSlow();
    };
    return node;
  };
  scene.finalize((unpaid.lastValidBlockHeight ?? 0n) + 152n);
  const { source, payments } = paid.intent;
  for (const account of [source, payments[0]?.destination]) {
    const node = cannotRead([account]);
    assert.equal(assertOutcome(await verdictOn(scene, paid, [node]), 'landed').signature, signature);
    assertOutcome(await verdictOn(scene, unpaid, [node]), 'expired');
    assertOutcome(await verdictOn(scene, scene.signed(unpaid), [node]), 'expired');
  }
  const blind = cannotRead([source, payments[0]?.destination]);
  for (const item of [unpaid, scene.signed(unpaid)]) {
    await assert.rejects(verdictOn(scene, item, [blind]), { kind: 'timeout' });
  }
});
