import { packBatch } from '../packing/pack-batch.ts';
import type { Pause } from '../packing/pause.ts';
import type { Parcel, TransactionFrame } from '../packing/weights/parcel.ts';
import { maxComputeUnits } from '../plan/compute-budget.ts';
import { feeOf, feeRule } from '../plan/transaction-fee.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { ResolvedTransfer } from './batch-request.ts';

/** How a batch is divided among transactions of which no two need have the same bytes. */
export interface PackedApart {
  /** Of each transaction the indices of its transfers; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
  /** For each transaction how many before it pay the same: it differs from them by its compute limit, for which there is room. */
  duplicateIndices: readonly number[];
}

// What packing tightly may take when it is done again, which is up to twice.
const unitsAgain = 1_000_000;

/**
 * Divides transfers among as few transactions as possible, with room for a compute limit where two would pay the same.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves, or not with what tells it from its twin.
 */
export async function packApart(
  parcels: readonly Parcel[],
  transfers: readonly ResolvedTransfer[],
  frame: TransactionFrame,
  pause: Pause,
): Promise<PackedApart | { tooLarge: readonly number[] }> {
  const packing = await packBatch(parcels, frame, pause);
  if ('tooLarge' in packing) return packing;
  const { lowerBound } = packing;
  const duplicateIndices = findDuplicateIndices(packing.transactions, transfers);
  if (duplicateIndices.every((count) => count === 0)) return { ...packing, duplicateIndices };
  const roomy = { ...frame, hasRoomForLimit: true };
  const packed = await packBatch(parcels, roomy, pause, unitsAgain);
  const alone = 'tooLarge' in packed ? packed.tooLarge : [];
  const transactions =
    'tooLarge' in packed ? await packBeside(packed.tooLarge, parcels, roomy, pause) : packed.transactions;
  const twins = findDuplicateIndices(transactions, transfers);
  const isTwin = new Set(transactions.flatMap((indices, at) => (twins[at] ? indices : [])));
  const tooLarge = alone.filter((index) => isTwin.has(index));
  return tooLarge.length > 0 ? { tooLarge } : { transactions, lowerBound, duplicateIndices: twins };
}

// What has no room for a compute limit has a transaction of its own, which no other is like unless it pays the same.
async function packBeside(
  alone: readonly number[],
  parcels: readonly Parcel[],
  frame: TransactionFrame,
  pause: Pause,
): Promise<readonly (readonly number[])[]> {
  const isAlone = new Set(alone);
  const others = [...parcels.keys()].filter((index) => !isAlone.has(index));
  const beside = others.flatMap((index) => parcels[index] ?? []);
  const packed = await packBatch(beside, frame, pause, unitsAgain);
  if ('tooLarge' in packed) throw new Error('what is too large was taken out');
  const transactions = packed.transactions.map((indices) => indices.flatMap((at) => others[at] ?? []));
  transactions.push(...alone.map((index) => [index]));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}

/**
 * Returns for each transaction how many before it pay exactly the same in the same order.
 *
 * The network takes two transactions with the same bytes for one, and executes it once.
 */
export function findDuplicateIndices(
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
 * Returns the plan, with a lower compute limit where transactions before it pay the same, so that its bytes differ from theirs.
 *
 * The headroom of a limit is many times the number of transfers in a batch. `duplicateIndex`: how many before it pay the same.
 */
export function makeDistinct(plan: TransferPlan, duplicateIndex: number): TransferPlan {
  if (duplicateIndex === 0) return plan;
  const computeUnitLimit = (plan.computeUnitLimit ?? maxComputeUnits) - duplicateIndex;
  const distinct = { ...plan, computeUnitLimit };
  return { ...distinct, ...feeOf(distinct, feeRule) };
}
