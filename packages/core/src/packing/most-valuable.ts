import type { PatternKind } from './kinds-of-transfers.ts';
import { tolerance } from './least-parts.ts';
import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { WeighedBatch, WeighedTransfer } from './weigh-batch.ts';

/** The transfers that are worth most in one transaction. */
export interface MostValuable {
  /** How many of each kind; none where nothing is worth more than 1. */
  counts: readonly number[];
  /** 1 at least. */
  value: number;
  /** How much was tried. */
  additions: number;
  /** No transaction is worth more than this: `value`, where all were looked at that could be. */
  limit: number;
}

// So that no batch takes long.
const maxAdditions = 20_000;
const unitsPerAddition = 0.04;

/**
 * Returns the transfers that are worth most of those that fit into one transaction, if they are worth more than 1.
 *
 * As many as fit of one kind after another are put in, then fewer, as long as what is left of the transaction could still make them
 * worth more: the means of the parts of those in one transaction sum up to 1 at most.
 */
export function* mostValuable(
  batch: WeighedBatch,
  kinds: readonly PatternKind[],
  values: readonly number[],
  pace: Pace,
): Steps<MostValuable> {
  const worthwhile = kinds
    .map(({ transfers, mean }, kind) => ({ transfers, mean, kind, value: values[kind] ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value / b.mean - a.value / a.mean);
  const load = new TransactionLoad(batch);
  const counts = kinds.map(() => 0);
  let best = counts.slice();
  let bestValue = 1;
  let limit = 0;
  let additions = 0;
  // Of each of the worthwhile kinds that were decided on: how many are in, and what was left and worth before them.
  const chosen: { count: number; left: number; value: number }[] = [];
  let left = 1 + tolerance;
  let value = 0;
  for (;;) {
    if (value > bestValue) {
      bestValue = value;
      best = counts.slice();
    }
    const next = worthwhile[chosen.length];
    const atMost = next ? value + (left * next.value) / next.mean : value;
    if (next && atMost > bestValue + tolerance && additions < maxAdditions) {
      const count = addAll(load, next.transfers);
      additions += count + 1;
      if (pace.isStepOver((count + 1) * unitsPerAddition)) yield;
      counts[next.kind] = count;
      chosen.push({ count, left, value });
      left -= count * next.mean;
      value += count * next.value;
      continue;
    }
    if (next) limit = Math.max(limit, atMost);
    // One less of the last kind of which there are any.
    let last = chosen.at(-1);
    while (last && last.count === 0) {
      chosen.pop();
      last = chosen.at(-1);
    }
    const item = worthwhile[chosen.length - 1];
    if (!last || !item) break;
    const removed = item.transfers[--last.count];
    if (removed) load.remove(removed);
    counts[item.kind] = last.count;
    left = last.left - last.count * item.mean;
    value = last.value + last.count * item.value;
  }
  return { counts: best, value: bestValue, additions, limit: Math.max(limit, bestValue) };
}

// Returns how many of them there was room for.
function addAll(load: TransactionLoad, transfers: readonly WeighedTransfer[]): number {
  let count = 0;
  for (const transfer of transfers) {
    if (!load.add(transfer)) break;
    count += 1;
  }
  return count;
}
