import { encodeTransaction, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import { toMessage } from './plan-message.ts';
import { assertBytesMatchPlan } from './read-back.ts';
import type { TransferPlan } from './transfer-plan.ts';

/**
 * Builds the bytes of an unsigned transaction from its plan, and reads them back before it returns them.
 *
 * `lifetimeToken` is the plan's nonce or a blockhash. Throws a `ReadBackError` when the bytes do not say what the plan says.
 */
export function buildTransaction(plan: TransferPlan, lifetimeToken: string): Uint8Array {
  const bytes = encodeTransaction(toMessage(plan, lifetimeToken));
  if (bytes.length > transactionSizeLimit(plan.version)) {
    throw new RangeError(`a transaction of ${bytes.length} bytes passed the checks`);
  }
  assertBytesMatchPlan(bytes, plan, lifetimeToken);
  return bytes;
}
