import { AppError } from '../errors.ts';
import { loadedAccountsDataSizeLimit } from './compute-budget.ts';
import { encodeTransaction, transactionSizeLimit, type UnsignedMessage } from './encode-transaction.ts';
import { planInstructions } from './plan-instructions.ts';
import { assertBytesMatchPlan } from './read-back.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** The message of a plan, ready to be encoded. `lifetimeToken` is the plan's nonce or a blockhash. */
export function toMessage(plan: TransferPlan, lifetimeToken: string): UnsignedMessage {
  const { version, feePayer, computeUnitLimit, priorityFee } = plan;
  return {
    version,
    feePayer,
    instructions: planInstructions(plan),
    lifetimeToken,
    config:
      version === 1 && computeUnitLimit !== undefined
        ? { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit }
        : undefined,
  };
}

/**
 * Builds the bytes of an unsigned transaction from its plan, and reads them back before it returns them.
 *
 * `lifetimeToken` is the plan's nonce or a blockhash. Throws a `ReadBackError` when the bytes do not say what the plan says.
 */
export function buildTransaction(plan: TransferPlan, lifetimeToken: string): Uint8Array {
  const bytes = encodeTransaction(toMessage(plan, lifetimeToken));
  if (bytes.length > transactionSizeLimit(plan.version)) {
    throw new AppError('internal_error', `a transaction of ${bytes.length} bytes passed the checks`);
  }
  assertBytesMatchPlan(bytes, plan, lifetimeToken);
  return bytes;
}
