import type { Pace, Steps } from './steps.ts';

// How much work a sum is.
const unitsPerSum = 0.0005;

/** The limits of which transfers are ever short. */
export interface ScarceLimits {
  bytes: number;
  instructions: number;
}

/** What one takes of these limits, and is worth. */
export interface Item extends Readonly<ScarceLimits> {
  value: number;
}

/** What there is of them. */
export type Room = Readonly<ScarceLimits>;

/** Makes one size of both limits: how much of it a byte is, and an instruction. Whole numbers, 0 where a limit does not count. */
export type Measure = Readonly<ScarceLimits>;

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

/** The size of an item or a room by one measure. */
export function sizeBy(measure: Measure, { bytes, instructions }: Room): number {
  return measure.bytes * bytes + measure.instructions * instructions;
}

/**
 * Fills a room with what is worth most, each item as often as one likes (the unbounded knapsack problem).
 *
 * What fits by both limits fits by every measure of them, so it is worth no more than this. For one item after another and each
 * size up to that of the room, the smaller ones first: what is worth most there is what was before, or the item and what is worth most
 * next to it.
 */
export function* fillKnapsack<Each extends Item>(
  items: readonly Each[],
  room: Room,
  measure: Measure,
  pace: Pace,
): Steps<Filled<Each>> {
  if (room.bytes < 0 || room.instructions < 0) {
    return { value: 0, chosen: [], measure, mostOfSize: new Float64Array(1), sums: 0 };
  }
  const mostOfSize = new Float64Array(sizeBy(measure, room) + 1);
  // Of each size only the one that is worth most.
  const ofSize = new Map<number, Each>();
  for (const item of items) {
    const size = sizeBy(measure, item);
    if (size < mostOfSize.length && item.value > (ofSize.get(size)?.value ?? 0)) ofSize.set(size, item);
  }
  const useful = [...ofSize];
  const last = new Int16Array(mostOfSize.length).fill(-1);
  for (const [index, [size, item]] of useful.entries()) {
    for (let at = size; at < mostOfSize.length; at++) {
      const value = (mostOfSize[at - size] ?? 0) + item.value;
      if (value <= (mostOfSize[at] ?? 0)) continue;
      mostOfSize[at] = value;
      last[at] = index;
    }
    if (pace.isStepOver(mostOfSize.length * unitsPerSum)) yield;
  }
  const chosen: Each[] = [];
  let at = mostOfSize.length - 1;
  for (let found = useful[last[at] ?? -1]; found; found = useful[last[at] ?? -1]) {
    const [size, item] = found;
    chosen.push(item);
    at -= size;
  }
  return { value: mostOfSize.at(-1) ?? 0, chosen, measure, mostOfSize, sums: useful.length * mostOfSize.length };
}
