import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { addressOf, type BuiltItem, memoOf, OutcomeScene, selfPayment } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

function lastHeightOf({ lastValidBlockHeight }: BuiltItem): bigint {
  assert.ok(lastValidBlockHeight !== undefined);
  return lastValidBlockHeight + 151n;
}

const reference = toAddress('7owWEdgJRWpKsiDFNU4qT2kgMe2kitPXem5Yy8VdNatr');

describe('a transaction that nobody had signed', () => {
  test('has landed by its message when it was signed as it is', async () => {
    const item = await scene.build();
    const signature = scene.land(item);
    const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
    assert.equal(verdict.signature, signature);
    assert.equal(verdict.matchedBy, 'message');
    assert.deepEqual(verdict.message, item.intent.message);
  });

  for (const [name, changes] of [
    ['another fee payer', { feePayer: 'carol' }],
    ['a guard', { prepended: [selfPayment(1)] }],
  ] as const) {
    test(`has landed by what it pays when a wallet gave it ${name}`, async () => {
      const item = await scene.build({ memo: memoOf(`with ${name}`) });
      ledger.advanceSlots(20);
      const signature = scene.landChanged(item, changes);
      const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
      assert.equal(verdict.signature, signature);
      assert.equal(verdict.matchedBy, 'content');
      assert.equal(verdict.ambiguous, undefined);
      assert.equal(verdict.payments[0]?.received, item.intent.payments[0]?.amount);
      assert.notDeepEqual(verdict.message, item.intent.message);
    });
  }

  test('has landed when its blockhash was replaced in its last moment, and in the last block of the new one', async () => {
    const item = await scene.build({ memo: memoOf('last moment') });
    // The block of the height that is the last for the built one gives the new blockhash.
    ledger.advanceSlots(Number((item.lastValidBlockHeight ?? 0n) - ledger.latestBlockhash().blockHeight));
    const { blockhash } = ledger.latestBlockhash();
    ledger.advanceSlots(150);
    const signature = scene.landChanged(item, { blockhash });
    assert.equal(assertOutcome(await verdictOn(scene, item), 'landed').signature, signature);
  });

  test('is pending 150 blocks longer than its blockhash lives, and one more, and expired one block after', async () => {
    const item = await scene.build({ amount: 40n, memo: memoOf('never sent') });
    scene.finalize(lastHeightOf(item));
    const pending = assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
    assert.equal(pending.lastValidBlockHeight, lastHeightOf(item));
    scene.finalize(lastHeightOf(item) + 1n);
    const expired = assertOutcome(await verdictOn(scene, item), 'expired');
    assert.equal(expired.lastValidBlockHeight, lastHeightOf(item));
  });

  for (const [name, changed, references = [addressOf('carol')]] of [
    ['left its memo out', { memo: undefined }],
    ['added a reference where none was asked for', { references: [reference] }, []],
  ] as const) {
    test(`is similar to a payment of which a wallet ${name}: neither landed nor expired`, async () => {
      const asked = { amount: 50n, memo: memoOf(`${name} of it`), references };
      const item = await scene.build(asked);
      const signature = scene.land(await scene.build({ ...asked, ...changed }));
      assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
      scene.finalize(lastHeightOf(item) + 1n);
      const { similar = [] } = assertOutcome(await verdictOn(scene, item), 'unknown', 'similar_payment');
      assert.ok(similar.includes(signature));
    });
  }

  test('that failed as it was built can land as a wallet changes it', async () => {
    const item = await scene.build({ amount: 900_000_000_001n });
    scene.land(await scene.build({ amount: 900_000_000_000n }));
    const signature = scene.land(item);
    assertOutcome(await verdictOn(scene, item), 'pending', 'failed_but_alive');
    assert.equal(assertOutcome(await verdictOn(scene, scene.signed(item)), 'failed').signature, signature);
    await scene.giveBack(900_000_000_000n);
    // The wallet tries again, with another blockhash.
    const second = scene.landChanged(item);
    const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
    assert.equal(verdict.signature, second);
    await scene.giveBack(900_000_000_001n);
  });

  test('that failed as a wallet changed it has failed only once it cannot land any more', async () => {
    const item = await scene.build({ amount: 900_000_000_002n });
    scene.land(await scene.build({ amount: 900_000_000_000n }));
    const signature = scene.landChanged(item);
    // Of two in one slot, the first is named.
    const again = scene.landChanged(item, { prepended: [] });
    assert.equal(ledger.transactionRecord(again)?.slot, ledger.transactionRecord(signature)?.slot);
    assertOutcome(await verdictOn(scene, item), 'pending', 'failed_but_alive');
    scene.finalize(lastHeightOf(item) + 1n);
    const verdict = assertOutcome(await verdictOn(scene, item), 'failed');
    assert.equal(verdict.signature, signature);
    assert.equal(verdict.matchedBy, 'content');
    await scene.giveBack(900_000_000_000n);
  });

  test('is similar to an equal payment after its life, and to one shortly before it was built', async () => {
    const earlier = scene.landChanged(await scene.build({ amount: 45n }));
    const item = await scene.build({ amount: 45n });
    const pending = assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
    assert.deepEqual(pending.similar, [earlier]);
    scene.finalize(lastHeightOf(item) + 1n);
    const later = scene.landChanged(item);
    const unknown = assertOutcome(await verdictOn(scene, item), 'unknown', 'similar_payment');
    assert.deepEqual(unknown.similar, [earlier, later]);
  });

  test('is not similar to an equal payment that failed before it was built', async () => {
    const drained = 900_000_000_000n;
    const earlier = await scene.build({ amount: drained + 3n });
    scene.land(await scene.build({ amount: drained }));
    const failed = scene.landChanged(earlier);
    assert.notEqual(ledger.transactionRecord(failed)?.error, null);
    const [from, to] = [addressOf('bob'), addressOf('alice')];
    scene.land(await scene.build({ from, to, feePayer: from, amount: drained }), 'bob');
    const item = await scene.build({ amount: drained + 3n });
    assert.deepEqual(assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime').similar, []);
  });

  test('is not similar to an equal payment 1,000 blocks before it was built', async () => {
    scene.landChanged(await scene.build({ amount: 46n }));
    const { blockHeight } = ledger.latestBlockhash();
    ledger.advanceSlots(1_000);
    const item = await scene.build({ amount: 46n });
    assert.equal((item.lastValidBlockHeight ?? 0n) - 150n, blockHeight + 1_001n);
    assert.deepEqual(assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime').similar, []);
    scene.finalize(lastHeightOf(item) + 1n);
    assertOutcome(await verdictOn(scene, item), 'expired');
  });

  test('without a last valid block height is never taken for an equal payment', async () => {
    const item = { ...(await scene.build({ amount: 47n })), lastValidBlockHeight: undefined };
    const signature = scene.landChanged(item);
    const pending = assertOutcome(await verdictOn(scene, item), 'pending', 'blockhash_alive');
    assert.deepEqual(pending.similar, [signature]);
    ledger.advanceSlots(200);
    const unknown = assertOutcome(await verdictOn(scene, item), 'unknown', 'last_valid_block_height_missing');
    assert.deepEqual(unknown.similar, [signature]);
    assert.equal(
      assertOutcome(
        await verdictOn(scene, { ...item, lastValidBlockHeight: (await scene.build()).lastValidBlockHeight }),
        'pending',
        'lifetime',
      ).similar?.length,
      1,
    );
  });

  test('that lands between two calls of a node is pending or landed, never expired', async () => {
    for (const moment of [
      'readFinalizedHeight',
      'isBlockhashAlive',
      'readSignatures',
      'readFirstAvailableSlot',
    ] as const) {
      const item = await scene.build({ memo: memoOf(`lands before ${moment}`) });
      scene.finalize((item.lastValidBlockHeight ?? 0n) - 32n);
      const node = new LedgerNodeHistory(ledger);
      let isSent = false;
      node.faults.before = (method) => {
        if (method !== moment || isSent) return;
        isSent = true;
        scene.landChanged(item);
        ledger.advanceSlots(400);
      };
      // Before it has landed its life is not over.
      const verdict = await verdictOn(scene, item, [node]);
      assert.notEqual(verdict.outcome, 'expired', moment);
      assert.equal((await verdictOn(scene, item)).outcome, isSent ? 'landed' : 'pending');
    }
  });
});
