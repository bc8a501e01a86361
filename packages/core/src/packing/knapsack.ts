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
 * `by`: the limits that count. For each size up to that of the room, the smaller ones first: what fits into it is what fits into
 * one less, or an item and what fits next to that.
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
  const useful = [...ofSize.values()];
  const sizes = Int32Array.from(ofSize.keys());
  const rowsOf = Int32Array.from(useful, ({ instructions }) => limitOf('instructions', instructions));
  const columnsOf = Int32Array.from(useful, ({ bytes }) => limitOf('bytes', bytes));
  const valuesOf = Float64Array.from(useful, ({ value }) => value);
  const best = new Float64Array(rows * columns);
  const last = new Int16Array(rows * columns).fill(-1);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      let most = 0;
      if (column > 0) most = best[at - 1] ?? 0;
      if (row > 0) most = Math.max(most, best[at - columns] ?? 0);
      for (let index = 0; index < sizes.length; index++) {
        if ((rowsOf[index] ?? 0) > row || (columnsOf[index] ?? 0) > column) continue;
        const value = (best[at - (sizes[index] ?? 0)] ?? 0) + (valuesOf[index] ?? 0);
        if (value <= most) continue;
        most = value;
        last[at] = index;
      }
      best[at] = most;
    }
    if (pace.isStepOver(columns * sizes.length * unitsPerSum)) yield;
  }
  const chosen: Each[] = [];
  let at = best.length - 1;
  while ((best[at] ?? 0) > 0) {
    const index = last[at] ?? -1;
    const item = useful[index];
    if (item) chosen.push(item);
    // Where nothing was added it is worth as much with one less of a limit.
    const less = at % columns > 0 && best[at - 1] === best[at] ? 1 : columns;
    at -= item ? (sizes[index] ?? 0) : less;
  }
  return { value: best.at(-1) ?? 0, chosen, sums: useful.length * best.length };
}
