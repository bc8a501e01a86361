import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import {
  encodeTransaction,
  maxAccountCount,
  transactionSize,
  transactionSizeLimit,
} from '../../src/transaction/encode-transaction.ts';
import { freshAddress } from '../random-plans.ts';

test('the header of version 1 has a priority fee from one lamport on, in eight bytes', () => {
  const message = (priorityFee: bigint) => ({
    version: 1 as const,
    feePayer: freshAddress(),
    instructions: [],
    lifetimeToken: freshAddress(),
    config: { priorityFee, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 },
  });
  const withoutFee = transactionSize(message(0n));
  for (const [priorityFee, size] of [
    [0n, withoutFee],
    [1n, withoutFee + 8],
    [2n ** 64n - 1n, withoutFee + 8],
  ] as const) {
    const bytes = encodeTransaction(message(priorityFee));
    assert.deepEqual([bytes.length, transactionSize(message(priorityFee))], [size, size]);
    const { config } = decodeTransaction(bytes);
    assert.deepEqual(config, { priorityFee, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 });
  }
});

test('a message of version 1 without limits is not encoded', () => {
  const message = { version: 1, feePayer: freshAddress(), instructions: [], config: undefined } as const;
  assert.throws(() => encodeTransaction({ ...message, lifetimeToken: freshAddress() }), /needs limits/);
});

test('validators take 1,232 bytes, of version 1 they take 4,096, and 64 accounts', () => {
  const limits = (['legacy', 0, 1] as const).map(transactionSizeLimit);
  assert.deepEqual([...limits, maxAccountCount], [1_232, 1_232, 4_096, 64]);
});
