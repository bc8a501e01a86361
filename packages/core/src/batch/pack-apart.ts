import { maxComputeUnits } from '../plan/compute-budget.ts';
import type { Steps } from '../plan/steps.ts';
import { feeOf } from '../plan/transaction-fee.ts';
import type { ReadPayment } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { packBatch } from './pack-batch.ts';
import type { WeighedBatch } from './weigh-batch.ts';

/** What two payments have in common that are the same to the network. */
export type PaymentContent = Pick<ReadPayment, 'to' | 'amount' | 'memo' | 'references'>;

/** How a batch is divided among transactions of which no two need have the same bytes. */
export interface PackedApart {
  /** Of each transaction the indices of its transfers; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
  /** For each transaction how many before it pay the same: it differs from them by its compute limit, for which there is room. */
  duplicateIndices: readonly number[];
}

/**
 * Divides transfers among as few transactions as possible, with room for a compute limit where two would pay the same.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves, or not with what tells it from its twin.
 */
export function* packApart(
  batch: WeighedBatch,
  payments: readonly PaymentContent[],
): Steps<PackedApart | { tooLarge: readonly number[] }> {
  const packing = yield* packBatch(batch);
  if ('tooLarge' in packing) return packing;
  const { lowerBound } = packing;
  const duplicateIndices = findDuplicateIndices(packing.transactions, payments);
  if (duplicateIndices.every((count) => count === 0)) return { ...packing, duplicateIndices };
  const roomy = { ...batch, frame: { ...batch.frame, hasRoomForLimit: true } };
  const packed = yield* packBatch(roomy);
  const alone = 'tooLarge' in packed ? packed.tooLarge : [];
  const transactions = 'tooLarge' in packed ? yield* packBeside(alone, roomy) : packed.transactions;
  const twins = findDuplicateIndices(transactions, payments);
  const isTwin = new Set(transactions.flatMap((indices, at) => (twins[at] ? indices : [])));
  const tooLarge = alone.filter((index) => isTwin.has(index));
  return tooLarge.length > 0 ? { tooLarge } : { transactions, lowerBound, duplicateIndices: twins };
}

// What has no room for a compute limit has a transaction of its own, which no other is like unless it pays the same.
function* packBeside(alone: readonly number[], batch: WeighedBatch): Steps<readonly (readonly number[])[]> {
  const isAlone = new Set(alone);
  const packed = yield* packBatch({ ...batch, transfers: batch.transfers.filter(({ index }) => !isAlone.has(index)) });
  if ('tooLarge' in packed) throw new Error('what is too large was taken out');
  const transactions = [...packed.transactions, ...alone.map((index) => [index])];
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}

/**
 * Returns for each transaction how many before it pay exactly the same in the same order.
 *
 * The network takes two transactions with the same bytes for one, and executes it once.
 */
export function findDuplicateIndices(
  transactions: readonly (readonly number[])[],
  payments: readonly PaymentContent[],
): readonly number[] {
  const firsts = new Map<string, number>();
  const sameAs: number[] = [];
  for (const [index, { to, amount, memo, references }] of payments.entries()) {
    const content = JSON.stringify([to, `${amount}`, memo?.text ?? null, references]);
    const first = firsts.get(content) ?? index;
    firsts.set(content, first);
    sameAs.push(first);
  }
  const counts = new Map<string, number>();
  return transactions.map((indices) => {
    const content = indices.map((index) => sameAs[index]).join();
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return count;
  });
}

/**
 * Returns the plan, with a lower compute limit where transactions before it pay the same, so that its bytes differ from theirs.
 *
 * The headroom of a limit is many times the number of transfers in a batch. `duplicateIndex`: how many before it pay the same.
 */
export function makeDistinct(plan: TransferPlan, duplicateIndex: number): TransferPlan {
  if (duplicateIndex === 0) return plan;
  const computeUnitLimit = (plan.computeUnitLimit ?? maxComputeUnits) - duplicateIndex;
  const distinct = { ...plan, computeUnitLimit };
  return { ...distinct, ...feeOf(distinct) };
}
