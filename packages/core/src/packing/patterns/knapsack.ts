import type { Pace, Steps } from '../weights/steps.ts';
import { isWithin, nothing, type Weight } from '../weights/weigh-batch.ts';

// How much work a sum is.
const unitsPerSum = 0.0005;

/** What one takes of a transaction, and is worth. */
export interface Item extends Readonly<Weight> {
  value: number;
}

/** What there is in a transaction. */
export type Room = Readonly<Weight>;

/** Makes one size of all limits: how much of it a unit of each is, 0 where a limit does not count. */
export type Measure = Readonly<Weight>;

/** What is worth most of all that fits by one measure. */
export interface Filled<Each> {
  value: number;
  chosen: readonly Each[];
  measure: Measure;
  /** What is worth most in a room of each size, from none on. */
  mostOfSize: Float64Array;
  /** How many sums it took. */
  sums: number;
}

/** The size of an item or a room by one measure, rounded down: those of what fits into a room sum up to no more than that of the room. */
export function sizeBy(measure: Measure, { bytes, accounts, instructions, computeUnits }: Readonly<Weight>): number {
  const small = measure.bytes * bytes + measure.accounts * accounts + measure.instructions * instructions;
  return Math.floor(small + measure.computeUnits * computeUnits);
}

/**
 * Fills a room with what is worth most, each item, which is worth something, as often as one likes (the unbounded knapsack problem).
 *
 * What fits by all limits fits by every measure of them, so it is worth no more than this. For one item after another and each
 * size up to that of the room, the smaller ones first: what is worth most there is what was before, or the item and what is worth most
 * next to it.
 */
export function* fillKnapsack<Each extends Item>(
  items: readonly Each[],
  room: Room,
  measure: Measure,
  pace: Pace,
): Steps<Filled<Each>> {
  if (!isWithin(nothing, room)) {
    return { value: 0, chosen: [], measure, mostOfSize: new Float64Array(1), sums: 0 };
  }
  const mostOfSize = new Float64Array(sizeBy(measure, room) + 1);
  // Of each size the index of the item that is worth most.
  const ofSize = new Int16Array(mostOfSize.length).fill(-1);
  for (const [index, item] of items.entries()) {
    const size = sizeBy(measure, item);
    // There is no end of what takes nothing.
    if (size === 0) {
      const value = Number.POSITIVE_INFINITY;
      return { value, chosen: [], measure, mostOfSize: mostOfSize.fill(value), sums: 0 };
    }
    if (size < ofSize.length && item.value > (items[ofSize[size] ?? -1]?.value ?? 0)) ofSize[size] = index;
  }
  const last = new Int16Array(mostOfSize.length).fill(-1);
  let sums = 0;
  for (let size = 1; size < ofSize.length; size++) {
    const index = ofSize[size] ?? -1;
    const value = items[index]?.value ?? 0;
    // Smaller ones may be worth as much in its place.
    if (value <= (mostOfSize[size] ?? 0)) continue;
    for (let at = size; at < mostOfSize.length; at++) {
      const together = (mostOfSize[at - size] ?? 0) + value;
      if (together <= (mostOfSize[at] ?? 0)) continue;
      mostOfSize[at] = together;
      last[at] = index;
    }
    sums += mostOfSize.length - size;
    if (pace.isStepOver((mostOfSize.length - size) * unitsPerSum)) yield;
  }
  const chosen: Each[] = [];
  let at = mostOfSize.length - 1;
  for (let item = items[last[at] ?? -1]; item; item = items[last[at] ?? -1]) {
    chosen.push(item);
    at -= sizeBy(measure, item);
  }
  return { value: mostOfSize.at(-1) ?? 0, chosen, measure, mostOfSize, sums };
}
