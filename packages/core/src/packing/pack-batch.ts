import { emptyTransactions } from './empty-transactions.ts';
import { type FewestTransactions, fewestTransactions } from './fewest-transactions.ts';
import { fillTransactions } from './fill-transactions.ts';
import { type Kind, kindsOf } from './kinds-of-transfers.ts';
import { meanParts, tolerance } from './least-parts.ts';
import type { Parcel, TransactionFrame } from './parcel.ts';
import { findPatterns, type Pattern } from './patterns.ts';
import { Pace, type Steps } from './steps.ts';
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
  // Patterns are the sooner way where there are few kinds: what takes longest comes last.
  const once = yield* packTightly(batch, loads, fewest, { triesAllowed: 1, isBalanced: false }, pace);
  const { best, bound } = yield* packByPatterns(batch, once, fewest, pace);
  const last = yield* packTightly(
    batch,
    best,
    { ...fewest, count: bound },
    { triesAllowed: maxTries, isBalanced: true },
    pace,
  );
  return { transactions: inTheirOrder(last), lowerBound: bound };
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

// Several times: what a transaction left empty makes its transfers worth more the next time.
function* packTightly(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  { triesAllowed, isBalanced }: { triesAllowed: number; isBalanced: boolean },
  pace: Pace,
): Steps<readonly TransactionLoad[]> {
  let best = packed;
  if (best.length <= fewest.count) return best;
  const { count, parts: ofScarcest } = fewest;
  const parts = isBalanced ? meanParts(fewest.partsOfLimits, 4) : ofScarcest;
  let values = parts;
  const kinds = yield* kindsOf(batch, fewest.scarcest, pace);
  const weighings = kinds.length * (batch.transfers.length + packed.length);
  const tries = Math.max(1, Math.min(triesAllowed, Math.floor(maxWeighings / weighings)));
  for (let tried = 0; tried < tries && best.length > count; tried++) {
    const left = yield* kindsOf(batch, fewest.scarcest, pace);
    const filled = yield* fillTransactions(batch, left, fewest, values, isBalanced, pace);
    values = raised(values, parts, filled);
    const loads = yield* emptyTransactions(filled, ofScarcest, count, pace);
    if (loads.length < best.length) best = loads;
  }
  return best;
}

// A program of so many numbers is solved in tens of milliseconds.
const maxKindsOfPatterns = 100;
// A pattern is taken once more than whole times where so much of a time is left.
const fractionsTakenWhole = [1, 0.7, 0.5];

// The best patterns of transactions, as many times as the linear program says, and what is left of the transfers next to them.
function* packByPatterns(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  pace: Pace,
): Steps<{ best: readonly TransactionLoad[]; bound: number }> {
  let best = packed;
  const kinds = yield* kindsOf(batch, fewest.scarcest, pace);
  if (best.length <= fewest.count || kinds.length > maxKindsOfPatterns) return { best, bound: fewest.count };
  const found = yield* findPatterns(batch, kinds, pace);
  const bound = Math.max(fewest.count, found.bound);
  const values: number[] = [];
  for (const [kind, { transfers }] of kinds.entries()) {
    for (const { index } of transfers) values[index] = found.values[kind] ?? 0;
  }
  for (const fraction of fractionsTakenWhole) {
    if (best.length <= bound) break;
    const left = yield* kindsOf(batch, fewest.scarcest, pace);
    const loads = loadsOf(batch, found.patterns, left, fraction);
    if (pace.isStepOver(batch.transfers.length * unitsPerAddition)) yield;
    loads.push(...(yield* fillTransactions(batch, left, fewest, values, false, pace)));
    const emptied = yield* emptyTransactions(loads, fewest.parts, bound, pace);
    if (emptied.length < best.length) best = emptied;
  }
  return { best, bound };
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
