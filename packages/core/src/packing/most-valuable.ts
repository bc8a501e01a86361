import type { Kind } from './kinds-of-transfers.ts';
import { fillKnapsack, type Item, type ScarceLimit } from './knapsack.ts';
import { tolerance } from './least-parts.ts';
import type { PartSet } from './part-sets.ts';
import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { WeighedBatch } from './weigh-batch.ts';

/** Transfers that are worth much in one transaction. */
export interface MostValuable {
  /** How many of each kind, which may be more than there are. They fit. */
  counts: readonly number[];
  value: number;
  /** No transaction is worth more; `undefined` where the transfers were worth enough before all was looked at. */
  limit: number | undefined;
  /** The index of the set that was looked at last. */
  set: number;
  /** How many sums it took. */
  sums: number;
}

/** Where to look, and how long. */
export interface Search {
  /** The index of the set to begin with. */
  firstSet: number;
  /** Whether transfers of this value are what is looked for. */
  isEnough: (value: number) => boolean;
  /** After so many sums no room is filled by both limits, which takes long. */
  maxSums: number;
}

// What is quick to look at comes first.
const ways: readonly (readonly ScarceLimit[])[] = [['instructions'], ['bytes'], ['bytes', 'instructions']];
// Where there are no more sets, the best of all is worth the time that it takes to look for it.
const fewSets = 2;

/**
 * Returns transfers that are worth enough, or else the most valuable that it finds and a bound of what any are worth.
 *
 * The transfers of a transaction need some set of shared parts. What that leaves of bytes and instructions is filled with transfers
 * that need no other parts, as if there were no other limits: they are worth no less than any transaction with this set. The bound
 * is that of the set whose transfers are worth most.
 */
export function* mostValuable(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  sets: readonly PartSet[],
  values: readonly number[],
  { firstSet, isEnough, maxSums }: Search,
  pace: Pace,
): Steps<MostValuable> {
  let best = { counts: kinds.map(() => 0), value: 0 };
  // Who is alone needs no compute limit next to a hook.
  let limit = Math.max(...values);
  let sums = 0;
  for (let turn = 0; turn < sets.length; turn++) {
    const at = (firstSet + turn) % sets.length;
    const set = sets[at];
    if (!set) break;
    const candidates = candidatesFor(set, kinds, values);
    let bound = Number.POSITIVE_INFINITY;
    for (const by of ways) {
      if (by.length > 1 && (isEnough(best.value) || sums >= maxSums)) break;
      const filled = yield* fillKnapsack(candidates, set.room, by, pace);
      sums += filled.sums;
      bound = Math.min(bound, filled.value);
      const found = putTogether(batch, kinds, filled.chosen, candidates);
      if (found.value > best.value) best = found;
      if (bound <= best.value + tolerance) break;
    }
    limit = Math.max(limit, bound);
    const isLast = turn + 1 === sets.length;
    if (!isLast && sets.length > fewSets && isEnough(best.value)) return { ...best, limit: undefined, set: at, sums };
  }
  return { ...best, limit, set: firstSet, sums };
}

/** A kind whose transfers need no parts but those of a set. */
interface Candidate extends Item {
  kind: number;
}

// The most valuable first.
function candidatesFor(set: PartSet, kinds: readonly Kind[], values: readonly number[]): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const kind of set.kinds) {
    const value = values[kind] ?? 0;
    const one = kinds[kind]?.one;
    if (one && value > 0) candidates.push({ kind, value, bytes: one.bytes, instructions: one.instructions });
  }
  return candidates.sort((a, b) => b.value - a.value);
}

// Of those that were chosen what fits by all limits, and what fits next to that.
function putTogether(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  chosen: readonly Candidate[],
  others: readonly Candidate[],
): { counts: number[]; value: number } {
  const load = new TransactionLoad(batch);
  const counts = kinds.map(() => 0);
  let value = 0;
  const isAdded = (candidate: Candidate): boolean => {
    const one = kinds[candidate.kind]?.one;
    if (!one || !load.add(one)) return false;
    counts[candidate.kind] = (counts[candidate.kind] ?? 0) + 1;
    value += candidate.value;
    return true;
  };
  for (const candidate of chosen) isAdded(candidate);
  for (const candidate of others) while (isAdded(candidate));
  return { counts, value };
}
