import type { Pace, Steps } from './steps.ts';

// How much work a sum is.
const unitsPerSum = 0.0005;

/** A limit of which transfers are ever short. */
export type ScarceLimit = 'bytes' | 'instructions';

/** What one takes of these limits, and is worth. */
export interface Item extends Readonly<Record<ScarceLimit, number>> {
  value: number;
}

/** What there is of them. */
export type Room = Readonly<Record<ScarceLimit, number>>;

/** What is worth most of all that fits. */
export interface Filled<Each> {
  value: number;
  chosen: readonly Each[];
  /** How many sums it took. */
  sums: number;
}

/**
 * Fills a room with what is worth most, each item as often as one likes (the unbounded knapsack problem).
 *
 * `by`: the limits that count. For one item after another and each size up to that of the room, the smaller ones first: what is worth
 * most there is what was before, or the item and what is worth most next to it.
 */
export function* fillKnapsack<Each extends Item>(
  items: readonly Each[],
  room: Room,
  by: readonly ScarceLimit[],
  pace: Pace,
): Steps<Filled<Each>> {
  if (room.bytes < 0 || room.instructions < 0) return { value: 0, chosen: [], sums: 0 };
  const limitOf = (limit: ScarceLimit, size: number): number => (by.includes(limit) ? size : 0);
  const rows = 1 + limitOf('instructions', room.instructions);
  const columns = 1 + limitOf('bytes', room.bytes);
  // Of each size only the one that is worth most.
  const ofSize = new Map<number, Each>();
  for (const item of items) {
    const [row, column] = [limitOf('instructions', item.instructions), limitOf('bytes', item.bytes)];
    const size = row * columns + column;
    if (row >= rows || column >= columns || item.value <= (ofSize.get(size)?.value ?? 0)) continue;
    ofSize.set(size, item);
  }
  const useful = [...ofSize];
  const best = new Float64Array(rows * columns);
  const last = new Int16Array(rows * columns).fill(-1);
  for (const [index, [size, item]] of useful.entries()) {
    const fromColumn = limitOf('bytes', item.bytes);
    for (let row = limitOf('instructions', item.instructions); row < rows; row++) {
      const start = row * columns + fromColumn;
      for (let at = start; at < (row + 1) * columns; at++) {
        const value = (best[at - size] ?? 0) + item.value;
        if (value <= (best[at] ?? 0)) continue;
        best[at] = value;
        last[at] = index;
      }
      if (pace.isStepOver(columns * unitsPerSum)) yield;
    }
  }
  const chosen: Each[] = [];
  let at = best.length - 1;
  for (let found = useful[last[at] ?? -1]; found; found = useful[last[at] ?? -1]) {
    const [size, item] = found;
    chosen.push(item);
    at -= size;
  }
  return { value: best.at(-1) ?? 0, chosen, sums: useful.length * best.length };
}
