import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feeOf } from '../../src/plan/transaction-fee.ts';
import { changed, freshWallet, planWith } from '../fixtures.ts';

test('The network charges 5,000 lamports a signature', () => {
  const plan = planWith({});
  const sponsored = changed(plan, { feePayer: freshWallet() });
  assert.deepEqual(feeOf(changed(plan, { feePayer: plan.sender })), { networkFee: 5_000n, priorityFee: 0n });
  assert.deepEqual(feeOf(sponsored), { networkFee: 10_000n, priorityFee: 0n });
});

test('The priority fee is charged for the limit that is asked for, rounded up, and is nothing without a limit', () => {
  const budget = changed(planWith({}), { computeUnitPrice: 25_000n });
  assert.equal(feeOf(changed(budget, { computeUnitLimit: 66_400 })).priorityFee, 1_660n);
  assert.equal(feeOf(changed(budget, { computeUnitLimit: 66_401 })).priorityFee, 1_661n);
  assert.equal(feeOf(changed(budget, { computeUnitLimit: undefined })).priorityFee, 0n);
});
