import { emptyTransactions } from './empty-transactions.ts';
import { type FewestTransactions, fewestTransactions } from './fewest-transactions.ts';
import { fillTransactions } from './fill-transactions.ts';
import { kindsOf } from './kinds-of-transfers.ts';
import type { Parcel, TransactionFrame } from './parcel.ts';
import { TransactionLoad } from './transaction-load.ts';
import { type WeighedBatch, weighBatch } from './weigh-batch.ts';

/** How the transfers of a batch are divided among transactions. */
export interface Packing {
  /** Of each transaction the indices of its transfers, in their order; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

// What packing again may take: a transaction is filled by weighing all kinds of transfers again for each that goes in.
const maxWeighings = 300_000;
const maxTries = 20;

/**
 * Divides transfers among as few transactions as possible, in their order as far as that costs no transaction.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export function packBatch(
  parcels: readonly Parcel[],
  frame: TransactionFrame,
): Packing | { tooLarge: readonly number[] } {
  const batch = weighBatch(parcels, frame);
  const inOrder = packInOrder(batch);
  if ('tooLarge' in inOrder) return inOrder;
  const fewest = fewestTransactions(batch, inOrder.loads.length);
  const best = inOrder.loads.length > fewest.count ? packTightly(batch, inOrder.loads, fewest) : inOrder.loads;
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

// Several times: what a transaction left empty makes its transfers worth more the next time.
function packTightly(
  batch: WeighedBatch,
  inOrder: readonly TransactionLoad[],
  fewest: FewestTransactions,
): readonly TransactionLoad[] {
  let best = inOrder;
  const { count, parts } = fewest;
  let values = [...parts];
  const kinds = kindsOf(batch, fewest.scarcest);
  const weighings = kinds.length * (batch.transfers.length + inOrder.length);
  const tries = Math.max(1, Math.min(maxTries, Math.floor(maxWeighings / weighings)));
  for (let tried = 0; tried < tries && best.length > count; tried++) {
    const filled = fillTransactions(batch, fewest, values);
    values = raised(values, parts, filled);
    const loads = emptyTransactions(filled, parts, count);
    if (loads.length < best.length) best = loads;
  }
  return best;
}

// Halfway from the old values to those that pay for what their transaction left empty.
function raised(values: readonly number[], parts: readonly number[], loads: readonly TransactionLoad[]): number[] {
  const next = [...values];
  for (const { transfers } of loads) {
    const filled = transfers.reduce((sum, { index }) => sum + (parts[index] ?? 0), 0);
    const factor = (1 + Math.max(0, 1 - filled) / 2) ** 2;
    for (const { index } of transfers) next[index] = ((values[index] ?? 0) + (parts[index] ?? 0) * factor) / 2;
  }
  return next;
}

function inTheirOrder(loads: readonly TransactionLoad[]): readonly (readonly number[])[] {
  const transactions = loads.map(({ transfers }) => transfers.map(({ index }) => index).sort((a, b) => a - b));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}
