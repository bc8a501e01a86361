import { packTightly } from './pack-tightly.ts';
import { fewestTransactions } from './weights/fewest-transactions.ts';
import type { Parcel, TransactionFrame } from './weights/parcel.ts';
import { Pace, type Steps } from './weights/steps.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import { type WeighedBatch, weighBatch } from './weights/weigh-batch.ts';

/** How the transfers of a batch are divided among transactions. */
export interface Packing {
  /** Of each transaction the indices of its transfers, in their order; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

// How much work it is to put a transfer into a transaction, for each part that it shares and its own.
const unitsPerAddition = 0.03;

// What packing tightly may take.
const usualUnits = 3_000;

/**
 * Divides transfers among few transactions: in their order where that takes as few as there can be or as packing them tightly does.
 *
 * `maxUnits`: what packing them tightly may take of work. `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export function* packBatch(
  parcels: readonly Parcel[],
  frame: TransactionFrame,
  pace: Pace = new Pace(),
  maxUnits = usualUnits,
): Steps<Packing | { tooLarge: readonly number[] }> {
  const batch = yield* weighBatch(parcels, frame, pace);
  const inOrder = yield* packInOrder(batch, pace);
  if ('tooLarge' in inOrder) return inOrder;
  const { loads } = inOrder;
  const fewest = yield* fewestTransactions(batch, pace, loads.length);
  if (loads.length <= fewest.count) return { transactions: inTheirOrder(loads), lowerBound: fewest.count };
  const best = yield* packTightly(batch, loads, fewest, maxUnits, pace);
  return { transactions: inTheirOrder(best), lowerBound: fewest.count };
}

// Keeps the order: a transfer goes into the last transaction, or opens the next one.
function* packInOrder(
  batch: WeighedBatch,
  pace: Pace,
): Steps<{ loads: readonly TransactionLoad[] } | { tooLarge: readonly number[] }> {
  const loads: TransactionLoad[] = [];
  const tooLarge: number[] = [];
  for (const transfer of batch.transfers) {
    if (pace.isStepOver((1 + transfer.shared.length) * unitsPerAddition)) yield;
    if (loads.at(-1)?.add(transfer)) continue;
    const load = new TransactionLoad(batch);
    if (load.add(transfer)) loads.push(load);
    else tooLarge.push(transfer.index);
  }
  return tooLarge.length > 0 ? { tooLarge } : { loads };
}

function inTheirOrder(loads: readonly TransactionLoad[]): readonly (readonly number[])[] {
  const transactions = loads.map(({ transfers }) => transfers.map(({ index }) => index).sort((a, b) => a - b));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}
