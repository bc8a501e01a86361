import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCost, checkPlanSize, checkSize } from '../../src/decide/check-plan.ts';
import { maxComputeUnits, measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import { planAccountCount } from '../../src/plan/plan-message.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, memoOf, paymentOf, planWith, requestOf } from '../fixtures.ts';
import { thawOf } from '../thaw.ts';

const limit = 1232;
const request = requestOf();
const hookAccounts = [role.readonly(freshAddress()), role.readonly(freshAddress())];

function sizeOf(memoLength: number, parts: Partial<TransferPlan> = {}): number {
  const plan = planWith({ hookAccounts, ...parts, memo: memoOf('a'.repeat(memoLength)) });
  const tooLong = checkSize(request, changed(plan, { memo: memoOf('a'.repeat(1300)) }));
  assert.ok(tooLong?.code === 'transaction_too_large');
  const { excess } = tooLong.context;
  assert.ok(excess.kind === 'bytes');
  return excess.byteLength - 1300 + memoLength;
}

/** A plan whose transaction has so many bytes. */
function planOfSize(size: number, parts: Partial<TransferPlan> = {}): TransferPlan {
  const memoLength = 500 + size - sizeOf(500, parts);
  return planWith({ hookAccounts, ...parts, memo: memoOf('a'.repeat(memoLength)) });
}

test('a transaction with a hook is refused from one byte too many on, with the number of bytes', () => {
  assert.equal(checkSize(request, planOfSize(limit)), undefined);
  assert.deepEqual(checkSize(request, planOfSize(limit + 1)), {
    code: 'transaction_too_large',
    field: 'memo',
    context: {
      excess: { kind: 'bytes', byteLength: 1233, maxByteLength: 1232 },
      hookAccountCount: 2,
      splitCount: 0,
      hasMemo: true,
      isTwin: false,
    },
  });
});

test('without a memo the mint is at fault, and without a hook the size is not judged here', () => {
  const references = Array.from({ length: 40 }, freshAddress);
  const finding = checkSize(request, planWith({ hookAccounts, references }));
  assert.equal(finding?.field, 'mint');
  assert.partialDeepStrictEqual(finding?.context, { hasMemo: false });
  assert.equal(checkSize(request, planWith({ references })), undefined);
});

test('without a memo splits are at fault, of which one is enough', () => {
  const references = Array.from({ length: 40 }, freshAddress);
  const plan = planWith({ hookAccounts, references });
  const splits = [paymentOf(plan, { recipient: freshAddress(), amount: 1n })];
  const finding = checkSize(request, changed(plan, { splits }));
  assert.equal(finding?.field, 'splits');
  assert.partialDeepStrictEqual(finding?.context, { splitCount: 1, hasMemo: false });
});

test('a transaction of version 1 may name 64 accounts, and no more', () => {
  const withReferences = (count: number): TransferPlan =>
    planWith({ version: 1, computeUnitLimit: 1, references: Array.from({ length: count }, freshAddress) });
  const others = planAccountCount(withReferences(0));
  assert.equal(checkPlanSize(withReferences(64 - others)), undefined);
  assert.deepEqual(checkPlanSize(withReferences(65 - others)), {
    code: 'transaction_too_large',
    field: 'mint',
    context: {
      excess: { kind: 'accounts', accountCount: 65, maxAccountCount: 64 },
      hookAccountCount: 0,
      splitCount: 0,
      hasMemo: false,
      isTwin: false,
    },
  });
});

test('the size of a transaction that thaws is judged, whatever else is known before the chain is read', () => {
  const thaw = thawOf(28);
  const asked = requestOf({ createTokenAccount: 'always' });
  assert.equal(checkSize(asked, planWith({ thaw: thawOf(10) })), undefined);
  assert.equal(checkSize(asked, planWith({ thaw }))?.code, 'transaction_too_large');
});

test('the accounts of a hook are counted in all payments', () => {
  const references = Array.from({ length: 40 }, freshAddress);
  const plan = planWith({ hookAccounts, references });
  const splits = [paymentOf(plan, { recipient: freshAddress(), amount: 1n, hookAccounts: hookAccounts.slice(1) })];
  assert.partialDeepStrictEqual(checkSize(request, changed(plan, { splits }))?.context, { hookAccountCount: 3 });
});

/** The plan with one payment whose memo makes all of it cost so many units. */
function costing(units: number, plan: TransferPlan): TransferPlan {
  const memo = { ...memoOf('m'), computeUnits: units - measuredComputeUnits(plan) };
  return changed(plan, { memo });
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
  const finding = checkCost(changed(plan, { splits: [split] }));
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
