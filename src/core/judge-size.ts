import type { Finding } from '../errors.ts';
import { toMessage } from './build-transaction.ts';
import { encodeTransaction, transactionSizeLimit } from './encode-transaction.ts';
import { systemProgram } from './programs.ts';
import type { TransferPlan, TransferRequest } from './transfer-plan.ts';

/**
 * The plan without a compute limit that is only a precaution, where its bytes are the ones too many.
 *
 * The limit of a memo beside a transfer hook leaves room for a hook that is dearer than any measured one.
 */
export function withoutSpareLimit(plan: TransferPlan, request: TransferRequest): TransferPlan {
  const isSpare = plan.hookAccounts.length > 0 && request.computeUnitLimit === undefined;
  const isAskedFor = plan.version === 1 || request.priorityFee !== undefined;
  if (!isSpare || isAskedFor || sizeOf(plan) <= transactionSizeLimit(plan.version)) return plan;
  return { ...plan, computeUnitLimit: undefined };
}

function sizeOf(plan: TransferPlan): number {
  // Any lifetime token is as long as another.
  return encodeTransaction(toMessage(plan, systemProgram)).length;
}

/** Says why a plan does not fit into a transaction, if so: its transfer hook demands too many accounts beside the rest. */
export function judgeSize(plan: TransferPlan, memoField: TransferRequest['memoField']): Finding | undefined {
  // Without a hook the limits of memo and references have seen to it.
  if (plan.hookAccounts.length === 0) return undefined;
  const size = sizeOf(plan);
  const limit = transactionSizeLimit(plan.version);
  if (size <= limit) return undefined;
  const remedy = plan.memo
    ? `Shorten the memo by at least ${size - limit} bytes, or use transaction_version 1`
    : 'Send fewer references, or use transaction_version 1';
  const detail =
    `The transaction would have ${size} bytes, ${plan.hookAccounts.length} accounts of the mint's transfer hook among ` +
    `them; the network takes ${limit}. ${remedy}.`;
  return { code: 'transaction_too_large', pointer: memoField ? `/${memoField}` : '/token_mint_address', detail };
}
