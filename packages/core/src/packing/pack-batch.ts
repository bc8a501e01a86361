import { bundleTransfers, unbundle } from './bundles.ts';
import { emptyTransactions } from './empty-transactions.ts';
import { type BoundedPacking, boundOfGroups, fewKinds, manyKinds, packByPatterns } from './pack-by-patterns.ts';
import { packTightly, type Tries } from './pack-tightly.ts';
import { type FewestTransactions, fewestTransactions } from './weights/fewest-transactions.ts';
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

const lastTries: readonly Tries[] = [
  { way: 'thorough', count: 1 },
  { way: 'balanced', count: 20 },
];
// How much work it is to put a transfer into a transaction, for each part that it shares and its own.
const unitsPerAddition = 0.03;

/**
 * Divides transfers among as few transactions as possible, in their order as far as that costs no transaction.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export function* packBatch(
  parcels: readonly Parcel[],
  frame: TransactionFrame,
  pace: Pace = new Pace(),
): Steps<Packing | { tooLarge: readonly number[] }> {
  const batch = yield* weighBatch(parcels, frame, pace);
  const inOrder = yield* packInOrder(batch, pace);
  if ('tooLarge' in inOrder) return inOrder;
  const { loads } = inOrder;
  const fewest = yield* fewestTransactions(batch, pace, loads.length);
  if (loads.length <= fewest.count) return { transactions: inTheirOrder(loads), lowerBound: fewest.count };
  const bundled = yield* packBundles(batch, loads, fewest, pace);
  const best = yield* packInAnyOrder(batch, bundled.loads, { ...fewest, count: bundled.bound }, pace);
  return { transactions: inTheirOrder(best.loads), lowerBound: best.bound };
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

// What takes longest comes last. Patterns are the sooner way where there are few kinds.
function* packInAnyOrder(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  pace: Pace,
): Steps<BoundedPacking> {
  const once = yield* packTightly(batch, packed, fewest, { way: 'by_worth', count: 1 }, pace);
  const { loads, bound } = yield* packByPatterns(batch, once, fewest, pace);
  let best = loads;
  for (const tries of lastTries) best = yield* packTightly(batch, best, { ...fewest, count: bound }, tries, pace);
  return { loads: best, bound };
}

// There are fewer kinds of bundles than of the transfers in them, each of which shares something else.
function* packBundles(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  pace: Pace,
): Steps<BoundedPacking> {
  const bundled = yield* bundleTransfers(batch, pace);
  if (!bundled) return { loads: packed, bound: fewest.count };
  let bound = Math.max(fewest.count, yield* boundOfGroups(batch, fewest, fewKinds, pace));
  const ofBundles = yield* fewestTransactions(bundled, pace);
  const { loads } = yield* packInAnyOrder(bundled, packed, { ...ofBundles, count: bound }, pace);
  const unbundled = loads.length < packed.length ? yield* unbundle(batch, bundled, loads, pace) : undefined;
  if (!unbundled) return { loads: packed, bound };
  const best = yield* emptyTransactions(unbundled, fewest.parts, bound, pace);
  if (best.length > bound + 1) bound = Math.max(bound, yield* boundOfGroups(batch, fewest, manyKinds, pace));
  return { loads: best, bound };
}

function inTheirOrder(loads: readonly TransactionLoad[]): readonly (readonly number[])[] {
  const transactions = loads.map(({ transfers }) => transfers.map(({ index }) => index).sort((a, b) => a - b));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}
