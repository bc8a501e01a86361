import { packTightly } from './pack-tightly.ts';
import type { Pause } from './pause.ts';
import { fewestTransactions } from './weights/fewest-transactions.ts';
import type { Parcel, TransactionFrame } from './weights/parcel.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import { type WeighedBatch, weighBatch } from './weights/weigh-batch.ts';

/** How the transfers of a batch are divided among transactions. */
export interface Packing {
  /** Of each transaction the indices of its transfers, in their order; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

// What packing tightly may take, of about 5 ns each.
const usualUnits = 3_000_000;

/**
 * Divides transfers among few transactions: in their order where that takes as few as there can be or as packing them tightly does.
 *
 * `maxUnits`: what packing them tightly may take of work. `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export async function packBatch(
  parcels: readonly Parcel[],
  frame: TransactionFrame,
  pause: Pause,
  maxUnits = usualUnits,
): Promise<Packing | { tooLarge: readonly number[] }> {
  const batch = weighBatch(parcels, frame);
  const inOrder = packInOrder(batch);
  if ('tooLarge' in inOrder) return inOrder;
  const { loads } = inOrder;
  await pause();
  const fewest = fewestTransactions(batch, loads.length);
  if (loads.length <= fewest.count) return { transactions: inTheirOrder(loads), lowerBound: fewest.count };
  const best = await packTightly(batch, loads, fewest, maxUnits, pause);
  return { transactions: inTheirOrder(best), lowerBound: fewest.count };
}

// Keeps the order: a transfer goes into the last transaction, or opens the next one.
function packInOrder(batch: WeighedBatch): { loads: readonly TransactionLoad[] } | { tooLarge: readonly number[] } {
  const loads: TransactionLoad[] = [];
  const tooLarge: number[] = [];
  for (const transfer of batch.transfers) {
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
