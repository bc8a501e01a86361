import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import {
  estimateComputeUnits,
  estimateHookComputeUnits,
  grantedComputeUnits,
  type InstructionCounts,
  maxComputeUnits,
  maxComputeUnitsWithoutMemo,
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
 * first case, and without a limit there are none in the second. The x402 layout demands one. Otherwise memos make it necessary, or a hook next to a memo.
 *
 * `paysPriorityFee`: whether a priority fee is asked for, which the network charges for the limit.
 */
export function decideComputeLimit(plan: UnbudgetedPlan, paysPriorityFee: boolean): number | undefined {
  if (paysPriorityFee || plan.version === 1 || plan.layout === 'x402') return estimateComputeUnits(plan);
  const counts = countInstructions(plan);
  if (counts.memos === 0) return undefined;
  const memoUnits = memoComputeUnits(plan);
  const limit = computeLimitOfMemos(memoUnits, counts);
  if (plan.hookAccounts.length === 0) return limit;
  return limit === undefined ? optionalLimit(plan, memoUnits, counts) : maxComputeUnits;
}

function countInstructions(plan: UnbudgetedPlan): InstructionCounts {
  let creates = plan.createsRecipientTokenAccount ? 1 : 0;
  let memos = plan.memo ? 1 : 0;
  for (const split of plan.splits) {
    if (split.createsRecipientTokenAccount) creates++;
    if (split.memo) memos++;
  }
  return { transfers: 1 + plan.splits.length, creates, memos };
}

function memoComputeUnits({ memo, splits }: UnbudgetedPlan): number {
  let units = memo?.computeUnits ?? 0;
  for (const split of splits) units += split.memo?.computeUnits ?? 0;
  return units;
}

/**
 * The compute limit that memos make necessary next to transfers without a hook; `undefined` where the default grant is enough.
 *
 * `memoUnits`: the compute units of all of them.
 *
 * Depends on nothing that the chain says, so that it is known before the chain is read how many bytes a memo has left.
 */
export function computeLimitOfMemos(memoUnits: number, counts: InstructionCounts): number | undefined {
  const withoutMemo = maxComputeUnitsWithoutMemo(counts) + memoHeadroom;
  const granted = grantedComputeUnits(counts);
  const units = memoUnits + withoutMemo;
  return units > granted ? Math.min(units, maxComputeUnits) : undefined;
}

// Only its author knows what a hook costs: where the memo leaves it less than a generous share of the default grant, it gets
// the most that any transaction may spend, which costs nothing without a price. Not where the bytes of that would be too many.
function optionalLimit(
  plan: UnbudgetedPlan,
  memoUnits: number,
  { transfers, memos }: InstructionCounts,
): number | undefined {
  const units = memoUnits + estimateHookComputeUnits(transfers, plan.hookAccounts.length);
  if (units <= grantedComputeUnits({ transfers, creates: 0, memos })) return undefined;
  const limited = {
    ...plan,
    computeUnitLimit: maxComputeUnits,
    computeUnitPrice: 0n,
    priorityFee: 0n,
  };
  return planSize(limited) <= transactionSizeLimit(plan.version) ? maxComputeUnits : undefined;
}
