import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCost } from '../../src/decide/check-plan.ts';
import { maxComputeUnits, measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress, memoOf, paymentOf, planWith } from '../random-plans.ts';

/** The plan with one payment whose memo makes all of it cost so many units. */
function costing(units: number, plan: TransferPlan): TransferPlan {
  const memo = { ...memoOf('m'), computeUnits: units - measuredComputeUnits(plan) };
  return { ...plan, memo };
}

test('a plan may cost all that a transaction may spend, and no unit more', () => {
  assert.equal(checkCost(costing(maxComputeUnits, planWith({}))), undefined);
  const plan = costing(maxComputeUnits + 1, planWith({}));
  assert.deepEqual(checkCost(plan), {
    code: 'transaction_too_costly',
    field: 'memo',
    context: { computeUnits: 1_400_001, max: 1_400_000, hasMemo: true },
  });
});

test('where the transfer has no memo, its splits cost too much', () => {
  const plan = planWith({});
  const split = paymentOf(plan, { recipient: freshAddress(), amount: 1n, memo: { ...memoOf('m'), computeUnits: 2e6 } });
  const finding = checkCost({ ...plan, splits: [split] });
  assert.equal(finding?.code, 'transaction_too_costly');
  assert.equal(finding.field, 'splits');
  assert.equal(finding.context.hasMemo, false);
});

test('where the mint has a hook, the finding names the mint, even with one account of the hook', () => {
  for (const count of [1, 2]) {
    const hookAccounts = Array.from({ length: count }, () => role.readonly(freshAddress()));
    const plan = costing(maxComputeUnits + 1, planWith({ hookAccounts }));
    assert.deepEqual(checkCost(plan), {
      code: 'transfer_hook_unresolvable',
      field: 'mint',
      context: {
        mint: plan.mint,
        fault: { kind: 'too_much_computation', computeUnits: 1_400_001, maxComputeUnits: 1_400_000 },
      },
    });
  }
});
