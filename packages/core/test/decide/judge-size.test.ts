import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSize } from '../../src/decide/judge-size.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress, memoOf, planWith } from '../random-plans.ts';

const limit = 1232;
const hookAccounts = [role.readonly(freshAddress()), role.readonly(freshAddress())];

function sizeOf(memoLength: number, parts: Partial<TransferPlan> = {}): number {
  const plan = planWith({ hookAccounts, ...parts, memo: memoOf('a'.repeat(memoLength)) });
  const tooLong = judgeSize({ ...plan, memo: memoOf('a'.repeat(1300)) });
  assert.ok(tooLong?.code === 'transaction_too_large');
  return tooLong.context.byteLength - 1300 + memoLength;
}

/** A plan whose transaction has so many bytes. */
function planOfSize(size: number, parts: Partial<TransferPlan> = {}): TransferPlan {
  const memoLength = 500 + size - sizeOf(500, parts);
  return planWith({ hookAccounts, ...parts, memo: memoOf('a'.repeat(memoLength)) });
}

test('a transaction with a hook is refused from one byte too many on, with the number of bytes', () => {
  assert.equal(judgeSize(planOfSize(limit)), undefined);
  assert.deepEqual(judgeSize(planOfSize(limit + 1)), {
    code: 'transaction_too_large',
    field: 'memo',
    context: { byteLength: 1233, maxByteLength: 1232, hookAccountCount: 2, hasMemo: true },
  });
});

test('without a memo the mint is at fault, and without a hook the size is not judged here', () => {
  const references = Array.from({ length: 40 }, freshAddress);
  const finding = judgeSize(planWith({ hookAccounts, references }));
  assert.equal(finding?.field, 'mint');
  assert.partialDeepStrictEqual(finding?.context, { hasMemo: false });
  assert.equal(judgeSize(planWith({ references })), undefined);
});
