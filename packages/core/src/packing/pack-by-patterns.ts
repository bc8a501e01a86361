import { emptyTransactions } from './empty-transactions.ts';
import type { FewestTransactions } from './fewest-transactions.ts';
import { type FillingWay, fillTransactions } from './fill-transactions.ts';
import { copyOfKinds, type Kind, kindsOf } from './kinds-of-transfers.ts';
import { tolerance } from './least-parts.ts';
import { findPatterns, type Pattern } from './patterns.ts';
import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { WeighedBatch } from './weigh-batch.ts';

/** A packing, and what is known of all others. */
export interface BoundedPacking {
  loads: readonly TransactionLoad[];
  /** No packing has fewer transactions than this. */
  bound: number;
}

// A program of so many numbers is solved in tenths of a second.
const maxKinds = 250;
// How much work it is to put a transfer into a transaction.
const unitsPerAddition = 0.03;

// A pattern is taken once more than whole times where so much of a time is left; what patterns leave is filled in one way or another.
const attempts: readonly { fraction: number; way: FillingWay }[] = [
  { fraction: 0.5, way: 'by_worth' },
  { fraction: 1, way: 'thorough' },
  { fraction: 0.7, way: 'by_worth' },
];

/**
 * Packs a batch by the best patterns of transactions, as many times as the linear program says, and fills what is left of the transfers.
 *
 * Returns the best of these packings and the one given (`packed`), and the better of the bounds. Nothing is tried where there are too many kinds.
 */
export function* packByPatterns(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  pace: Pace,
): Steps<BoundedPacking> {
  let best = packed;
  if (best.length <= fewest.count) return { loads: best, bound: fewest.count };
  const kinds = yield* kindsOf(batch, fewest.scarcest, pace);
  if (kinds.length > maxKinds) return { loads: best, bound: fewest.count };
  const found = yield* findPatterns(batch, kinds, pace);
  const bound = Math.max(fewest.count, found.bound);
  const values: number[] = [];
  for (const [kind, { transfers }] of kinds.entries()) {
    for (const { index } of transfers) values[index] = found.values[kind] ?? 0;
  }
  for (const { fraction, way } of attempts) {
    if (best.length <= bound) break;
    const left = copyOfKinds(kinds);
    const loads = loadsOf(batch, found.patterns, left, fraction);
    if (pace.isStepOver(batch.transfers.length * unitsPerAddition)) yield;
    loads.push(...(yield* fillTransactions(batch, left, fewest, values, way, pace)));
    const emptied = yield* emptyTransactions(loads, fewest.parts, bound, pace);
    if (emptied.length < best.length) best = emptied;
  }
  return { loads: best, bound };
}

/** Returns what patterns say of how many transactions a batch takes at least; 0 where there are too many kinds of transfers. */
export function* boundOfPatterns(batch: WeighedBatch, { scarcest }: FewestTransactions, pace: Pace): Steps<number> {
  const kinds = yield* kindsOf(batch, scarcest, pace);
  if (kinds.length > maxKinds) return 0;
  const { bound } = yield* findPatterns(batch, kinds, pace);
  return bound;
}

function loadsOf(
  batch: WeighedBatch,
  patterns: readonly Pattern[],
  left: readonly Kind[],
  fraction: number,
): TransactionLoad[] {
  const loads: TransactionLoad[] = [];
  for (const { counts, times } of patterns) {
    for (let time = 0; time < Math.floor(times + 1 - fraction + tolerance); time++) {
      const load = new TransactionLoad(batch);
      for (const [kind, count] of counts.entries()) {
        const transfers = left[kind]?.transfers ?? [];
        for (let taken = 0; taken < count; taken++) {
          const transfer = transfers.at(-1);
          if (!transfer || !load.add(transfer)) break;
          transfers.pop();
        }
      }
      if (load.transfers.length > 0) loads.push(load);
    }
  }
  return loads;
}
