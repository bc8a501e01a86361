import type { Kind } from './kinds-of-transfers.ts';
import { type Filled, fillKnapsack, type Item, type Measure, type Room } from './knapsack.ts';
import { tolerance } from './least-parts.ts';
import type { PartSet } from './part-sets.ts';
import { type Column, patternOf } from './pattern-program.ts';
import { searchRoom } from './search-room.ts';
import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { WeighedBatch } from './weigh-batch.ts';

/** Transfers that are worth much in one transaction. */
export interface MostValuable {
  /** Which may have more of a kind than there are. They fit. */
  pattern: Column;
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
  /** After so many sums no room is filled by both limits, which takes longer. */
  maxSums: number;
}

// What is quick to look at comes first.
const ofInstructions: Measure = { bytes: 0, instructions: 1 };
const ofBytes: Measure = { bytes: 1, instructions: 0 };
// How many sums a look at an item takes as long as, and how much work it is.
const sumsPerLook = 10;
const unitsPerLook = 0.01;
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
  values: Float64Array,
  { firstSet, isEnough, maxSums }: Search,
  pace: Pace,
): Steps<MostValuable> {
  let best = { pattern: patternOf(new Map()), value: 0 };
  // Who is alone needs no compute limit next to a hook.
  let limit = Math.max(...values);
  let sums = 0;
  for (let turn = 0; turn < sets.length; turn++) {
    const at = (firstSet + turn) % sets.length;
    const set = sets[at];
    if (!set) break;
    const candidates = candidatesFor(set, kinds, values);
    const filled: Filled<Candidate>[] = [];
    let bound = Number.POSITIVE_INFINITY;
    const take = (chosen: readonly Candidate[]): void => {
      const found = putTogether(batch, kinds, chosen, candidates);
      if (found.value > best.value) best = found;
    };
    for (const measure of [ofInstructions, ofBytes, ofBoth(set.room)]) {
      if (filled.length === 2 && (isEnough(best.value) || sums >= maxSums)) break;
      const most = yield* fillKnapsack(candidates, set.room, measure, pace);
      filled.push(most);
      sums += most.sums;
      bound = Math.min(bound, most.value);
      take(most.chosen);
      if (bound <= best.value + tolerance) break;
    }
    if (filled.length === 3 && !isEnough(best.value) && bound > best.value + tolerance) {
      const { chosen, value, isMost, looks } = searchRoom(candidates, set.room, filled, best.value);
      sums += looks * sumsPerLook;
      if (isMost) bound = Math.min(bound, value + tolerance);
      take(chosen);
      if (pace.isStepOver(looks * unitsPerLook)) yield;
    }
    limit = Math.max(limit, bound);
    const isLast = turn + 1 === sets.length;
    if (!isLast && sets.length > fewSets && isEnough(best.value)) return { ...best, limit: undefined, set: at, sums };
  }
  return { ...best, limit, set: firstSet, sums };
}

// By which neither limit counts for more than the other.
function ofBoth({ bytes, instructions }: Room): Measure {
  return { bytes: 1, instructions: Math.max(1, Math.round(bytes / Math.max(1, instructions))) };
}

/** A kind whose transfers need no parts but those of a set. */
interface Candidate extends Item {
  kind: number;
}

// The most valuable first.
function candidatesFor(set: PartSet, kinds: readonly Kind[], values: Float64Array): readonly Candidate[] {
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
): { pattern: Column; value: number } {
  const load = new TransactionLoad(batch);
  const counts = new Map<number, number>();
  let value = 0;
  const isAdded = (candidate: Candidate): boolean => {
    const one = kinds[candidate.kind]?.one;
    if (!one || !load.add(one)) return false;
    counts.set(candidate.kind, (counts.get(candidate.kind) ?? 0) + 1);
    value += candidate.value;
    return true;
  };
  for (const candidate of chosen) isAdded(candidate);
  for (const candidate of others) while (isAdded(candidate));
  return { pattern: patternOf(counts), value };
}
