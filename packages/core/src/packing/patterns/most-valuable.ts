import { tolerance } from '../weights/least-parts.ts';
import type { Pace, Steps } from '../weights/steps.ts';
import { TransactionLoad } from '../weights/transaction-load.ts';
import type { WeighedBatch } from '../weights/weigh-batch.ts';
import type { Choice } from './choices.ts';
import { type Filled, fillKnapsack, type Item, type Measure } from './knapsack.ts';
import type { PartSet } from './part-sets.ts';
import { type Column, patternOf } from './pattern-program.ts';
import { searchRoom } from './search-room.ts';

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
  /** By which transactions may be full. */
  measures: readonly Measure[];
  /** The index of the set to begin with. */
  firstSet: number;
  /** Whether transfers of this value are what is looked for. */
  isEnough: (value: number) => boolean;
  /** After so many sums no room is filled by several limits, which takes longer. */
  maxSums: number;
}

// How many sums a look at an item takes as long as, and how much work it is.
const sumsPerLook = 10;
const unitsPerLook = 0.01;
// Where there are no more sets, the best of all is worth the time that it takes to look for it.
const fewSets = 2;

/**
 * Returns transfers that are worth enough, or else the most valuable that it finds and a bound of what any are worth.
 *
 * The transfers of a transaction need some set of shared parts. What that leaves of a transaction is filled with transfers that need no
 * other parts: they are worth no less than any transaction with this set. The bound is that of the set whose transfers are worth most.
 */
export function* mostValuable(
  batch: WeighedBatch,
  choices: readonly Choice[],
  sets: readonly PartSet[],
  values: Float64Array,
  { measures, firstSet, isEnough, maxSums }: Search,
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
    const candidates = candidatesFor(set, choices, values);
    const filled: Filled<Candidate>[] = [];
    let bound = Number.POSITIVE_INFINITY;
    const take = (chosen: readonly Candidate[]): void => {
      const found = putTogether(batch, chosen, candidates);
      if (found.value > best.value) best = found;
    };
    for (const measure of measures) {
      if (filled.length > 0 && filled.length === measures.length - 1 && (isEnough(best.value) || sums >= maxSums))
        break;
      const most = yield* fillKnapsack(candidates, set.room, measure, pace);
      filled.push(most);
      sums += most.sums;
      bound = Math.min(bound, most.value);
      take(most.chosen);
      if (bound <= best.value + tolerance) break;
    }
    if (filled.length === measures.length && !isEnough(best.value) && bound > best.value + tolerance) {
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

/** A choice that needs no parts but those of a set. */
interface Candidate extends Item {
  choice: Choice;
}

// The most valuable first.
function candidatesFor(set: PartSet, choices: readonly Choice[], values: Float64Array): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const index of set.within) {
    const choice = choices[index];
    if (!choice) continue;
    const value = choice.kinds.reduce((sum, kind) => sum + Math.max(0, values[kind] ?? 0), 0);
    const { bytes, accounts, instructions, computeUnits } = choice.one;
    if (value > 0) candidates.push({ choice, value, bytes, accounts, instructions, computeUnits });
  }
  return candidates.sort((a, b) => b.value - a.value);
}

// Of those that were chosen what fits by all limits, and what fits next to that.
function putTogether(
  batch: WeighedBatch,
  chosen: readonly Candidate[],
  others: readonly Candidate[],
): { pattern: Column; value: number } {
  const load = new TransactionLoad(batch);
  const counts = new Map<number, number>();
  let value = 0;
  const isAdded = ({ choice, value: worth }: Candidate): boolean => {
    if (!load.add(choice.one)) return false;
    for (const kind of choice.kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    value += worth;
    return true;
  };
  for (const candidate of chosen) isAdded(candidate);
  for (const candidate of others) while (isAdded(candidate));
  return { pattern: patternOf(counts), value };
}
