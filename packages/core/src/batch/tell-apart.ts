import { maxComputeUnits } from '../plan/compute-cost.ts';
import { priorityFeeOf } from '../plan/priority-fee.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { ResolvedTransfer } from './batch-request.ts';

/**
 * Returns for each transaction how many before it pay exactly the same in the same order.
 *
 * The network takes two transactions with the same bytes for one, and executes it once.
 */
export function countTwinsBefore(
  transactions: readonly (readonly number[])[],
  transfers: readonly ResolvedTransfer[],
): readonly number[] {
  // Where each recipient is paid once no two transactions are the same; most batches end here.
  if (new Set(transfers.map(({ to }) => to)).size === transfers.length) return transactions.map(() => 0);
  const firsts = new Map<string, number>();
  const sameAs: number[] = [];
  for (const [index, { to, amount, memo, references }] of transfers.entries()) {
    const content = JSON.stringify([to, `${amount}`, memo?.text ?? null, references]);
    const first = firsts.get(content) ?? index;
    firsts.set(content, first);
    sameAs.push(first);
  }
  if (firsts.size === transfers.length) return transactions.map(() => 0);
  const counts = new Map<string, number>();
  return transactions.map((indices) => {
    const content = indices.map((index) => sameAs[index]).join();
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return count;
  });
}

/**
 * Returns a plan whose transaction differs from those of its twins by its compute limit.
 *
 * The headroom of a limit is many times the number of transfers in a batch. The first twin stays what it is.
 */
export function makeDistinct(plan: TransferPlan, duplicateIndex: number): TransferPlan {
  if (duplicateIndex === 0) return plan;
  const computeUnitLimit = (plan.computeUnitLimit ?? maxComputeUnits) - duplicateIndex;
  return { ...plan, computeUnitLimit, priorityFee: priorityFeeOf(plan.computeUnitPrice, computeUnitLimit) };
}
