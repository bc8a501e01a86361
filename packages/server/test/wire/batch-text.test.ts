import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSteps } from '../../../core/src/packing/weights/steps.ts';
import { batchText } from '../../src/wire/batch-text.ts';
import { statusTexts } from '../../src/wire/replies.ts';
import type { BatchData } from '../../src/wire/schemas/batch-schema.ts';

const tokens = { base_units: '1', decimal: '0.000001' };
const others: Omit<BatchData, 'transactions'> = {
  landed: [{ transfers: [7], signature: 'sig"nature' }],
  transaction_version: 0,
  lifetime: { blockhash: 'hash', last_valid_block_height: '150' },
  summary: {
    transaction_count: 2,
    fewest_transactions: 2,
    transfer_count: 3,
    fee_payer: 'payer',
    token_program: 'program',
    decimals: 6,
    sender: 'sender',
    sender_token_account: 'account',
    amount: tokens,
    transfer_fee: tokens,
    received_amount: tokens,
    network_fee: '5000',
    priority_fee: '0',
    rent: '0',
    created_token_accounts: 0,
    warnings: [],
  },
};

function transactionsOf(count: number): BatchData['transactions'] {
  return Array.from({ length: count }, (_, index) => ({
    transaction: 'AQID',
    transfers: [index, index + 1],
    signers: ['payer', 'sender'],
  }));
}

describe('the text of the reply to a batch', () => {
  it('is that of the JSON of its data and its status, however many transactions there are', () => {
    for (const count of [1, 2, 100]) {
      const data: BatchData = { transactions: transactionsOf(count), ...others };
      const expected = JSON.stringify({ data, status: statusTexts.batch });
      assert.equal(runSteps(batchText(data.transactions, others)), expected);
    }
  });

  it('is written in steps of 20 transactions, and put together in two more', () => {
    const steps = batchText(transactionsOf(100), others);
    let count = 1;
    while (!steps.next().done) count += 1;
    assert.equal(count, 7);
  });
});
