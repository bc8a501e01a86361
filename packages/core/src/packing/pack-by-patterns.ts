import { emptyTransactions } from './empty-transactions.ts';
import { type FillingWay, fillTransactions } from './fill-transactions.ts';
import { type ChoicesOfBatch, choicesOf, choicesOfGroups } from './patterns/choices.ts';
import { type CoarseKinds, coarsen } from './patterns/coarse-kinds.ts';
import type { Measure } from './patterns/knapsack.ts';
import { measuresOf } from './patterns/measures.ts';
import { type Column, patternOf } from './patterns/pattern-program.ts';
import { findPatterns, type PatternsFound } from './patterns/patterns.ts';
import type { FewestTransactions } from './weights/fewest-transactions.ts';
import { copyOfKinds, type Kind, kindsOf } from './weights/kinds-of-transfers.ts';
import { tolerance } from './weights/least-parts.ts';
import type { Pace, Steps } from './weights/steps.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import type { WeighedBatch, WeighedTransfer } from './weights/weigh-batch.ts';

/** A packing, and what is known of all others. */
export interface BoundedPacking {
  loads: readonly TransactionLoad[];
  /** No packing has fewer transactions than this. */
  bound: number;
}

/** A program of so many kinds is solved in a tenth of a second. */
export const fewKinds = 150;
/** One of so many takes up to two seconds. */
export const manyKinds = 600;

// Each is for what has more than so many transactions above the bound.
const precisions: readonly { maxKinds: number; margin: number }[] = [
  { maxKinds: fewKinds, margin: 0 },
  { maxKinds: manyKinds, margin: 1 },
];
// How much work it is to put a transfer into a transaction.
const unitsPerAddition = 0.03;

// A pattern is taken once more than whole times where so much of a time is left; what patterns leave is filled in one way or another.
// Those with a margin are for what has more than so many transactions above the bound.
const attempts: readonly { fraction: number; way: FillingWay; margin: number }[] = [
  { fraction: 0.5, way: 'by_worth', margin: 0 },
  { fraction: 1, way: 'thorough', margin: 0 },
  { fraction: 0.7, way: 'by_worth', margin: 0 },
  { fraction: 0.6, way: 'by_worth', margin: 1 },
  { fraction: 0.8, way: 'by_worth', margin: 1 },
  { fraction: 0.9, way: 'by_worth', margin: 1 },
  { fraction: 0.5, way: 'thorough', margin: 1 },
  { fraction: 0.7, way: 'thorough', margin: 1 },
  { fraction: 0.9, way: 'thorough', margin: 1 },
];

/**
 * Packs a batch by the best patterns of transactions, as many times as the linear program says, and fills what is left of the transfers.
 *
 * Returns the best of these packings and the one given (`packed`), and the better of the bounds. Where there are too many kinds, those of
 * nearly the same size count as one: as the largest of them for patterns, which fit then, and as the smallest for the bound. Kinds are
 * told apart exactly only where that was not enough to be within one of the bound.
 */
export function* packByPatterns(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  pace: Pace,
): Steps<BoundedPacking> {
  if (packed.length <= fewest.count) return { loads: packed, bound: fewest.count };
  const kinds = yield* kindsOf(batch, fewest.scarcest, pace);
  const measures = measuresOf(batch, fewest);
  let result: BoundedPacking = { loads: packed, bound: fewest.count };
  for (const { maxKinds, margin } of precisions) {
    if (result.loads.length <= result.bound + margin) break;
    const coarse = coarsen([kinds], maxKinds);
    if (!coarse) continue;
    result = yield* packByKinds(batch, result, { ...coarse, kinds, measures }, fewest, pace);
    if (coarse.most.length === kinds.length) break;
  }
  return result;
}

/** By what kinds a batch is packed. */
interface KindsOfPacking extends CoarseKinds {
  /** Exactly. */
  kinds: readonly Kind[];
  measures: readonly Measure[];
}

function* packByKinds(
  batch: WeighedBatch,
  packed: BoundedPacking,
  { least, most, kinds, measures }: KindsOfPacking,
  fewest: FewestTransactions,
  pace: Pace,
): Steps<BoundedPacking> {
  let best = packed.loads;
  const found = yield* findPatterns(batch, byKind(most), patternsIn(packed.loads, batch, most), measures, pace);
  if (!found) return packed;
  const isExact = most.length === kinds.length;
  const bound = isExact ? Math.max(packed.bound, found.bound) : packed.bound;
  const values: number[] = [];
  for (const [kind, { transfers }] of most.entries()) {
    for (const { index } of transfers) values[index] = found.values[kind] ?? 0;
  }
  for (const { fraction, way, margin } of attempts) {
    if (best.length <= bound + margin) break;
    const left = copyOfKinds(most);
    const loads = loadsOf(batch, found.patterns, left, fraction);
    if (pace.isStepOver(batch.transfers.length * unitsPerAddition)) yield;
    loads.push(...(yield* fillTransactions(batch, thoseLeft(left, kinds), fewest, values, way, pace)));
    const emptied = yield* emptyTransactions(loads, fewest.parts, bound, pace);
    if (emptied.length < best.length) best = emptied;
  }
  if (isExact || best.length <= bound) return { loads: best, bound };
  const patterns = found.patterns.map(([pattern]) => pattern);
  const ofLeast = yield* findPatterns(batch, byKind(least), patterns, measures, pace);
  return { loads: best, bound: Math.max(bound, ofLeast?.bound ?? 0) };
}

/**
 * Returns what patterns of transfers that share what few others need say of how many transactions a batch takes at least.
 *
 * Where there are more than `maxKinds`, those of nearly the same size count as the smallest of them.
 */
export function* boundOfGroups(
  batch: WeighedBatch,
  fewest: FewestTransactions,
  maxKinds: number,
  pace: Pace,
): Steps<number> {
  const found = yield* choicesOfGroups(batch, fewest.scarcest, maxKinds, pace);
  if (!found) return 0;
  const patterns = yield* findPatterns(batch, found, [], measuresOf(batch, fewest), pace);
  return patterns?.bound ?? 0;
}

function byKind(kinds: readonly Kind[]): ChoicesOfBatch {
  return { kinds, choices: choicesOf(kinds) };
}

// The patterns of transactions that are packed already, as far as they fit by these kinds.
function patternsIn(loads: readonly TransactionLoad[], batch: WeighedBatch, kinds: readonly Kind[]): readonly Column[] {
  const kindOf = new Map<WeighedTransfer, number>();
  for (const [kind, { transfers }] of kinds.entries()) for (const transfer of transfers) kindOf.set(transfer, kind);
  return loads.map(({ transfers }) => {
    const load = new TransactionLoad(batch);
    const counts = new Map<number, number>();
    for (const transfer of transfers) {
      const kind = kindOf.get(transfer) ?? -1;
      const one = kinds[kind]?.one;
      if (one && load.add(one)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return patternOf(counts);
  });
}

// The kinds again, with those of their transfers that are left of others.
function thoseLeft(left: readonly Kind[], kinds: readonly Kind[]): readonly Kind[] {
  const isLeft = new Set(left.flatMap(({ transfers }) => transfers));
  return kinds.map((kind) => ({ ...kind, transfers: kind.transfers.filter((transfer) => isLeft.has(transfer)) }));
}

function loadsOf(
  batch: WeighedBatch,
  patterns: PatternsFound['patterns'],
  left: readonly Kind[],
  fraction: number,
): TransactionLoad[] {
  const loads: TransactionLoad[] = [];
  for (const [{ kinds, counts }, times] of patterns) {
    for (let time = 0; time < Math.floor(times + 1 - fraction + tolerance); time++) {
      const load = new TransactionLoad(batch);
      for (const [at, kind] of kinds.entries()) {
        const transfers = left[kind]?.transfers ?? [];
        for (let taken = 0; taken < (counts[at] ?? 0); taken++) {
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
