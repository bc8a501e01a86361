import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockHistory } from '../../src/ledger/block-history.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { TransactionHistory, type TransactionRecord } from '../../src/ledger/transaction-history.ts';

test('A history that has forgotten a transaction is complete from the slot after it on', async () => {
  const ledger = new Ledger();
  const record = recordOf(ledger);
  const history = new TransactionHistory(2);
  for (const [index, slot] of [5n, 7n, 7n, 9n].entries()) {
    history.add({ ...record, signature: `${record.signature}${index}` as typeof record.signature, slot });
    assert.equal(history.firstCompleteSlot, [0n, 0n, 6n, 8n][index]);
  }
});

test('Blocks are complete from slot 0 on until one is forgotten, and from the slot after that one from then on', () => {
  const block = new Ledger().latestBlockhash();
  const blocks = new BlockHistory(2);
  for (const [index, slot] of [5n, 6n, 7n, 8n].entries()) {
    blocks.add({ ...block, slot });
    assert.equal(blocks.firstCompleteSlot, [0n, 0n, 6n, 7n][index]);
  }
});

test('A ledger that has forgotten nothing has every block since slot 0, as an archive has', () => {
  const ledger = new Ledger();
  assert.equal(ledger.firstAvailableSlot, 0n);
  assert.equal(ledger.block(ledger.firstSlot - 1n), undefined);
});

function recordOf(ledger: Ledger): TransactionRecord {
  const outcome = ledger.airdrop(
    'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn' as Parameters<Ledger['airdrop']>[0],
    1n,
  );
  const record = ledger.transactionRecord(outcome.signature);
  assert.ok(record);
  return record;
}
