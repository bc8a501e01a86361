import type { Memo } from '../request/memo.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import {
  defaultComputeUnitsPerInstruction,
  estimateComputeUnits,
  estimateHookComputeUnits,
  maxComputeUnitsWithoutMemo,
  maximumComputeUnits,
} from './compute-cost.ts';
import { planSize } from './plan-size.ts';
import type { TransferPlan } from './transfer-plan.ts';

// Where no priority fee is paid for it: for newer programs, and for what wallets insert.
const memoHeadroom = 30_000;

/** A plan of which everything is decided but its compute budget. */
export type UnbudgetedPlan = Omit<TransferPlan, 'computeUnitLimit' | 'computeUnitPrice' | 'priorityFee'>;

/** What decides about a compute limit in addition to the plan. */
export interface LimitFacts {
  /** Whether a priority fee is asked for, which the network charges for the limit. */
  paysPriorityFee: boolean;
  recipientTokenAccountExists: boolean;
}

/**
 * Decides the compute limit of a plan; `undefined` where the runtime's default grant is enough.
 *
 * With a priority fee and in version 1 there is always one, as close to the real cost as is known: units cost money in the
 * first case, and without a limit there are none in the second. Otherwise a memo makes it necessary, or a hook next to a memo.
 */
export function decideComputeLimit(plan: UnbudgetedPlan, facts: LimitFacts): number | undefined {
  if (facts.paysPriorityFee || plan.version === 1) {
    const { recipientTokenAccountExists } = facts;
    return estimateComputeUnits({ plan, recipientBump: plan.recipientTokenAccountBump, recipientTokenAccountExists });
  }
  const { memo, hookAccounts } = plan;
  if (!memo) return undefined;
  const limit = computeLimitOfMemo(memo, plan.createsRecipientTokenAccount);
  if (hookAccounts.length === 0) return limit;
  return limit === undefined ? optionalLimit(plan, memo) : maximumComputeUnits;
}

/**
 * The compute limit that a memo makes necessary in a transfer without a hook; `undefined` where the default grant is enough.
 *
 * Depends on nothing that the chain says, so that it is known before the chain is read how many bytes the memo has left.
 */
export function computeLimitOfMemo(memo: Memo, createsRecipientTokenAccount: boolean): number | undefined {
  const withoutMemo = maxComputeUnitsWithoutMemo(createsRecipientTokenAccount) + memoHeadroom;
  const granted = (createsRecipientTokenAccount ? 3 : 2) * defaultComputeUnitsPerInstruction;
  const units = memo.computeUnits + withoutMemo;
  return units > granted ? Math.min(units, maximumComputeUnits) : undefined;
}

// Only its author knows what a hook costs: where the memo leaves it less than a generous share of the default grant, it gets
// the most that any transaction may spend, which costs nothing without a price. Not where the bytes of that would be too many.
function optionalLimit(plan: UnbudgetedPlan, memo: Memo): number | undefined {
  const units = memo.computeUnits + estimateHookComputeUnits(plan.hookAccounts.length);
  if (units <= 2 * defaultComputeUnitsPerInstruction) return undefined;
  const limited = { ...plan, computeUnitLimit: maximumComputeUnits, computeUnitPrice: 0n, priorityFee: 0n };
  return planSize(limited) <= transactionSizeLimit(plan.version) ? maximumComputeUnits : undefined;
}
