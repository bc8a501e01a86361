import { AppError } from '../errors.ts';
import { encodeTransaction, transactionSizeLimit } from './encode-transaction.ts';
import { planInstructions } from './plan-instructions.ts';
import { assertBytesMatchPlan } from './read-back.ts';
import type { TransferPlan } from './transfer-plan.ts';

/**
 * Builds the bytes of an unsigned transaction from its plan and a blockhash, and reads them back before it returns them.
 *
 * Throws a `ReadBackError` when the bytes do not say what the plan says.
 */
export function buildTransaction(plan: TransferPlan, blockhash: string): Uint8Array {
  const bytes = encodeTransaction(plan.feePayer, planInstructions(plan), blockhash);
  if (bytes.length > transactionSizeLimit) {
    throw new AppError('internal_error', `a transaction of ${bytes.length} bytes passed the checks`);
  }
  assertBytesMatchPlan(bytes, plan, blockhash);
  return bytes;
}
