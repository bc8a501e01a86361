import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOn } from './find-outcome.ts';
import { type HistoryMethod, LedgerNodeHistory } from './ledger-node-history.ts';
import { type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger, nonceAccount } = scene;

/** Asks one node, and asserts the outcome and every call in its order. */
async function assertCalls(item: BuiltItem, outcome: string, calls: readonly HistoryMethod[]): Promise<void> {
  const node = new LedgerNodeHistory(ledger);
  assert.equal((await verdictOn(scene, item, [node])).outcome, outcome);
  assert.deepEqual(node.calls, calls);
}

function outlive({ lastValidBlockHeight }: BuiltItem): void {
  scene.finalize((lastValidBlockHeight ?? 0n) + 152n);
}

describe('the calls that one node gets for one transaction', () => {
  test('that is signed', async () => {
    const item = scene.signed(await scene.build({ memo: memoOf('signed') }));
    await assertCalls(item, 'pending', ['readFinalizedHeight', 'readStatuses']);
    scene.send(item.bytes);
    await assertCalls(item, 'landed', ['readFinalizedHeight', 'readStatuses', 'readTransaction']);
    outlive(item);
    await assertCalls(item, 'landed', ['readFinalizedHeight', 'readStatuses', 'readTransaction']);
  });

  test('that was signed and has expired', async () => {
    ledger.advanceSlots(2_500);
    const item = scene.signed(await scene.build({ memo: memoOf('signed, expired') }));
    outlive(item);
    await assertCalls(item, 'expired', [
      'readFinalizedHeight',
      'readStatuses',
      'isBlockhashAlive',
      'readSignatures',
      'readFirstAvailableSlot',
    ]);
  });

  test('that nobody had signed', async () => {
    const item = await scene.build({ memo: memoOf('unsigned') });
    await assertCalls(item, 'pending', ['readFinalizedHeight', 'readSignatures']);
    scene.land(item);
    await assertCalls(item, 'landed', ['readFinalizedHeight', 'readSignatures', 'readTransaction']);
    outlive(item);
    await assertCalls(item, 'landed', ['readFinalizedHeight', 'isBlockhashAlive', 'readSignatures', 'readTransaction']);
  });

  test('that a wallet changed', async () => {
    ledger.advanceSlots(2_500);
    const item = await scene.build({ memo: memoOf('changed') });
    scene.landChanged(item);
    const found = ['readFinalizedHeight', 'readSignatures', 'readTransaction', 'readBlockHeight'] as const;
    await assertCalls(item, 'landed', found);
    outlive(item);
    await assertCalls(item, 'landed', [
      'readFinalizedHeight',
      'isBlockhashAlive',
      'readSignatures',
      'readTransaction',
      'readBlockHeight',
      'readFirstAvailableSlot',
    ]);
  });

  test('that nobody had signed and has expired', async () => {
    const item = await scene.build({ memo: memoOf('unsigned, expired') });
    outlive(item);
    await assertCalls(item, 'expired', [
      'readFinalizedHeight',
      'isBlockhashAlive',
      'readSignatures',
      'readFirstAvailableSlot',
    ]);
  });

  test('with a durable nonce', async () => {
    const item = scene.signed(await scene.build({ nonceAccount, memo: memoOf('nonce') }));
    await assertCalls(item, 'pending', ['readNonce']);
    const other = await scene.build({ nonceAccount, memo: memoOf('other nonce') });
    scene.land(other);
    const walk = ['readNonce', 'readStatuses', 'isBlockhashAlive', 'readFinalizedHeight', 'readSignatures'] as const;
    await assertCalls(item, 'pending', [...walk, 'readTransaction']);
    ledger.advanceSlots(32);
    await assertCalls(item, 'expired', [...walk, 'readTransaction']);
    await assertCalls(scene.signed(other), 'landed', ['readNonce', 'readStatuses', 'readTransaction']);
  });
});
