import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { addressOf, type BuiltItem, memoOf, OutcomeScene, selfPayment } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

function lastValidHeight({ lastValidBlockHeight }: BuiltItem): bigint {
  assert.ok(lastValidBlockHeight !== undefined);
  return lastValidBlockHeight;
}

describe('a signed transaction', () => {
  test('has landed once it is confirmed, with what was paid and what it cost, and is final 32 slots later', async () => {
    const item = scene.signed(await scene.build({ amount: 1_234_567n, memo: memoOf('invoice 1001') }));
    const signature = scene.send(item.bytes);
    const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
    const [payment] = item.intent.payments;
    const { message } = item.intent;
    assert.deepEqual(verdict, {
      outcome: 'landed',
      signature,
      slot: ledger.slot(),
      blockTime: ledger.blockTime(ledger.slot()),
      commitment: 'confirmed',
      fee: 5_000n,
      matchedBy: 'signature',
      message,
      payments: [
        {
          tokenAccount: payment?.destination,
          wallet: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
          amount: 1_234_567n,
          received: 1_234_567n,
        },
      ],
      ambiguous: undefined,
    });
    ledger.advanceSlots(32);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'landed').commitment, 'finalized');
  });

  test('that failed on the chain has failed, with the error and its instructions', async () => {
    const item = scene.signed(await scene.build({ amount: 900_000_000_000n }));
    scene.land(await scene.build({ amount: 900_000_000_000n }));
    const signature = scene.send(item.bytes);
    const verdict = assertOutcome(await verdictOn(scene, item), 'failed');
    assert.equal(verdict.signature, signature);
    assert.deepEqual(verdict.error, { InstructionError: [1, { Custom: 1 }] });
    assert.equal(verdict.instructions.at(-1)?.kind, 'transfer_checked');
    assert.equal(verdict.fee, 5_000n);
    await scene.giveBack(900_000_000_000n);
  });

  test('that nobody sends is pending up to the last block that takes it, and expired one block after', async () => {
    const item = scene.signed(await scene.build());
    const lastHeight = lastValidHeight(item) + 1n;
    assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
    scene.finalize(lastHeight);
    const pending = assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
    assert.equal(pending.blockHeight, lastHeight);
    assert.equal(pending.lastValidBlockHeight, lastHeight);
    scene.finalize(lastHeight + 1n);
    const expired = assertOutcome(await verdictOn(scene, item), 'expired');
    assert.equal(expired.blockHeight, lastHeight + 1n);
    assert.equal(expired.lastValidBlockHeight, lastHeight);
  });

  test('is pending while its blockhash is alive, whatever last valid block height is named', async () => {
    const item = scene.signed(await scene.build());
    for (const wrong of [0n, 5n, lastValidHeight(item) - 150n]) {
      const verdict = await verdictOn(scene, { ...item, lastValidBlockHeight: wrong });
      assertOutcome(verdict, 'pending', wrong > 5n ? 'lifetime' : 'blockhash_alive');
    }
    scene.finalize(lastValidHeight(item) - 1n);
    assertOutcome(await verdictOn(scene, { ...item, lastValidBlockHeight: 5n }), 'pending', 'blockhash_alive');
  });

  test('with a last valid block height of another cluster waits for it, however high it is', async () => {
    const item = scene.signed(await scene.build());
    const lastValidBlockHeight = 2n ** 64n - 1n;
    scene.finalize(lastValidHeight(item) + 400n);
    const verdict = assertOutcome(await verdictOn(scene, { ...item, lastValidBlockHeight }), 'pending', 'lifetime');
    assert.equal(verdict.lastValidBlockHeight, 2n ** 64n);
  });

  test('that was dead before the ledger of the nodes began cannot be said to have expired', async () => {
    const item = scene.signed(await scene.build());
    scene.finalize(lastValidHeight(item) + 400n);
    const node = new LedgerNodeHistory(ledger, 'upstream_1', { firstSlot: ledger.slot() - 300n });
    assertOutcome(await verdictOn(scene, { ...item, lastValidBlockHeight: 3n }, [node]), 'unknown', 'history_pruned');
  });

  test('without a last valid block height is pending while its blockhash is alive, and then unknown', async () => {
    const item = { ...scene.signed(await scene.build()), lastValidBlockHeight: undefined };
    assertOutcome(await verdictOn(scene, item), 'pending', 'blockhash_alive');
    ledger.advanceSlots(182);
    assertOutcome(await verdictOn(scene, item), 'pending', 'blockhash_alive');
    ledger.advanceSlots(1);
    assertOutcome(await verdictOn(scene, item), 'unknown', 'last_valid_block_height_missing');
  });

  test('without a last valid block height has landed all the same when it is there', async () => {
    const item = { ...scene.signed(await scene.build()), lastValidBlockHeight: undefined };
    const signature = scene.send(item.bytes);
    ledger.advanceSlots(2_000);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'landed').signature, signature);
  });

  test('is not taken for one that pays the same under another signature', async () => {
    const item = scene.signed(await scene.build());
    scene.landChanged(item);
    assertOutcome(await verdictOn(scene, item), 'pending', 'lifetime');
    scene.finalize(lastValidHeight(item) + 2n);
    assertOutcome(await verdictOn(scene, item), 'expired');
  });

  test('that lands as its status is read is never expired', async () => {
    const item = scene.signed(await scene.build());
    // The caller names the height of an older blockhash, so that its life seems to be over while it can land.
    const early = { ...item, lastValidBlockHeight: lastValidHeight(item) - 200n };
    const node = new LedgerNodeHistory(ledger);
    node.faults.before = (method) => {
      if (method === 'isBlockhashAlive') {
        scene.send(item.bytes);
        ledger.advanceSlots(400);
      }
    };
    assert.equal(assertOutcome(await verdictOn(scene, early, [node]), 'landed').matchedBy, 'signature');
  });
});

describe('a transaction that only another signer than the fee payer has signed', () => {
  test('has landed by its message', async () => {
    const item = await scene.build({ feePayer: addressOf('bob') });
    const half = scene.signed(item, 'alice');
    assert.equal(half.intent.signature, undefined);
    assert.equal(half.intent.isSigned, true);
    const signature = scene.send(scene.sign(half.bytes, 'bob'));
    const verdict = assertOutcome(await verdictOn(scene, half), 'landed');
    assert.equal(verdict.signature, signature);
    assert.equal(verdict.matchedBy, 'message');
  });

  test('is not another that pays the same, and has expired one block after the last that takes it', async () => {
    const half = scene.signed(await scene.build({ feePayer: addressOf('bob') }), 'alice');
    scene.landChanged(half, { feePayer: 'bob', prepended: [selfPayment(3)] });
    scene.finalize(lastValidHeight(half) + 1n);
    assertOutcome(await verdictOn(scene, half), 'pending', 'lifetime');
    scene.finalize(lastValidHeight(half) + 2n);
    assertOutcome(await verdictOn(scene, half), 'expired');
  });
});
