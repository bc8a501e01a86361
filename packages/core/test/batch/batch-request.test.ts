import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTransferRequest, totalOf } from '../../src/batch/batch-request.ts';
import { memoOf } from '../fixtures.ts';
import { addressAt, batchFrom } from './random-batches.ts';

const { request } = batchFrom([], {
  version: 1,
  createTokenAccount: 'always',
  priorityFee: { level: 'high' },
  isSponsored: true,
  hasNonce: true,
});
const [first, second, third] = [1, 2, 3].map((number) => ({
  to: addressAt(number),
  amount: BigInt(number),
  memo: memoOf(`part ${number}`),
  references: [addressAt(10 + number)],
}));

describe('some transfers of a batch', () => {
  it('are the request of one transaction, whose recipient is that of the last one', () => {
    assert.ok(first && second && third);
    const { transfers, ...options } = request;
    assert.deepEqual(toTransferRequest(request, [first, second, third]), {
      ...options,
      layout: 'default',
      ...third,
      splits: [first, second],
    });
    assert.deepEqual(toTransferRequest(request, [first]).splits, []);
  });

  it('are at least one', () => {
    assert.throws(() => toTransferRequest(request, []), { name: 'RangeError', message: /has a transfer$/ });
  });
});

describe('the total of amounts', () => {
  it('is their sum', () => {
    assert.equal(totalOf([]), 0n);
    assert.equal(totalOf([2n ** 64n - 1n, 7n, 0n]), 2n ** 64n + 6n);
  });

  it('is not known while one of them is not', () => {
    assert.equal(totalOf([5n, undefined, 7n]), undefined);
    assert.equal(totalOf([undefined]), undefined);
  });
});
