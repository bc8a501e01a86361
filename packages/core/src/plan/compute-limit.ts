import type { Memo } from '../request/memo.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import {
  estimateComputeUnits,
  estimateHookComputeUnits,
  grantedComputeUnits,
  type InstructionCounts,
  maxComputeUnitsWithoutMemo,
  maximumComputeUnits,
} from './compute-cost.ts';
import { planSize } from './plan-size.ts';
import type { TransferPlan } from './transfer-plan.ts';

// Where no priority fee is paid for it: for newer programs, and for what wallets insert.
const memoHeadroom = 30_000;

/** A plan of which everything is decided but its compute budget. */
export type UnbudgetedPlan = Omit<TransferPlan, 'computeUnitLimit' | 'computeUnitPrice' | 'priorityFee'>;

/**
 * Decides the compute limit of a plan; `undefined` where the runtime's default grant is enough.
 *
 * With a priority fee and in version 1 there is always one, as close to the real cost as is known: units cost money in the
 * first case, and without a limit there are none in the second. The x402 layout demands one. Otherwise a memo makes it necessary, or a hook next to a memo.
 *
 * `paysPriorityFee`: whether a priority fee is asked for, which the network charges for the limit.
 */
export function decideComputeLimit(plan: UnbudgetedPlan, paysPriorityFee: boolean): number | undefined {
  if (paysPriorityFee || plan.version === 1 || plan.layout === 'x402') return estimateComputeUnits(plan);
  const { memo, hookAccounts } = plan;
  if (!memo) return undefined;
  const limit = computeLimitOfMemo(memo, countInstructions(plan));
  if (hookAccounts.length === 0) return limit;
  return limit === undefined ? optionalLimit(plan, memo) : maximumComputeUnits;
}

function countInstructions(plan: UnbudgetedPlan): InstructionCounts {
  let creates = plan.createsRecipientTokenAccount ? 1 : 0;
  for (const split of plan.splits) if (split.createsRecipientTokenAccount) creates++;
  return { transfers: 1 + plan.splits.length, creates };
}

/**
 * The compute limit that a memo makes necessary next to transfers without a hook; `undefined` where the default grant is enough.
 *
 * Depends on nothing that the chain says, so that it is known before the chain is read how many bytes the memo has left.
 */
export function computeLimitOfMemo(memo: Memo, counts: InstructionCounts): number | undefined {
  const withoutMemo = maxComputeUnitsWithoutMemo(counts) + memoHeadroom;
  const granted = grantedComputeUnits(counts);
  const units = memo.computeUnits + withoutMemo;
  return units > granted ? Math.min(units, maximumComputeUnits) : undefined;
}

// Only its author knows what a hook costs: where the memo leaves it less than a generous share of the default grant, it gets
// the most that any transaction may spend, which costs nothing without a price. Not where the bytes of that would be too many.
function optionalLimit(plan: UnbudgetedPlan, memo: Memo): number | undefined {
  const transfers = 1 + plan.splits.length;
  const units = memo.computeUnits + estimateHookComputeUnits(transfers, plan.hookAccounts.length);
  if (units <= grantedComputeUnits({ transfers, creates: 0 })) return undefined;
  const limited = {
    ...plan,
    computeUnitLimit: maximumComputeUnits,
    computeUnitPrice: 0n,
    priorityFee: 0n,
  };
  return planSize(limited) <= transactionSizeLimit(plan.version) ? maximumComputeUnits : undefined;
}
