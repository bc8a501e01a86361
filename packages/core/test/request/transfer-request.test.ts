import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentsOf, totalOf } from '../../src/request/transfer-request.ts';
import { batchRequestOf } from '../batch/batch-scene.ts';
import { freshAddress, memoOf, requestOf } from '../fixtures.ts';

test('a transfer pays its recipient, and each split an amount', () => {
  const splits = [11n, 12n].map((amount) => ({ to: freshAddress(), amount }));
  const parts = { memo: memoOf('for the recipient alone'), references: [freshAddress()] };
  const request = requestOf({ splits, ...parts });
  assert.deepEqual(paymentsOf(request), [
    { to: request.to, amount: request.amount, ...parts, field: 'to' },
    ...splits.map((split, index) => {
      return { ...split, memo: undefined, references: [], field: { split: index, part: 'to' } };
    }),
  ]);
});

test('a batch pays each of its transfers', () => {
  const request = batchRequestOf([{ memo: memoOf('its own'), references: [freshAddress()] }, {}]);
  const expected = request.transfers.map((transfer, index) => ({
    ...transfer,
    field: { transfer: index, part: 'to' },
  }));
  assert.deepEqual(paymentsOf(request), expected);
});

test('the total of amounts is their sum, and is not known while one of them is not', () => {
  assert.equal(totalOf([]), 0n);
  assert.equal(totalOf([2n ** 64n - 1n, 7n, 0n]), 2n ** 64n + 6n);
  assert.equal(totalOf([5n, undefined, 7n]), undefined);
});
