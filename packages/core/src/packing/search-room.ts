import { type Filled, type Item, type Room, sizeBy } from './knapsack.ts';
import { tolerance } from './least-parts.ts';

/** What was found to be worth most by both limits. */
export interface Searched<Each> {
  /** Empty where nothing is worth more than what was known. */
  chosen: readonly Each[];
  /** Of what was chosen, or of what was known. */
  value: number;
  /** Whether nothing else is worth more, but for what floating point may add. */
  isMost: boolean;
  /** How many items it looked at. */
  looks: number;
}

/** How many items are looked at, so that no step takes long. */
export const maxLooks = 20_000;

/**
 * Looks for what is worth more than `known` of all that fits into a room by both limits, each item as often as one likes.
 *
 * It takes what is worth most for its size first, and goes on only where more than the best so far is left to be won: no more fits into
 * what is left of the room than into as much of it by each measure (`filled`, of the same items or more).
 */
export function searchRoom<Each extends Item>(
  items: readonly Each[],
  room: Room,
  filled: readonly Filled<Each>[],
  known: number,
): Searched<Each> {
  const useful = undominated(items.filter((item) => item.value > 0 && isWithin(item, room)));
  const partOf = (item: Each): number => item.bytes / room.bytes + item.instructions / room.instructions;
  useful.sort((a, b) => b.value / partOf(b) - a.value / partOf(a));
  const path: Each[] = [];
  let chosen: readonly Each[] = [];
  let value = known;
  let looks = 0;
  const search = (first: number, bytes: number, instructions: number, soFar: number): void => {
    for (let at = first; at < useful.length && looks < maxLooks; at++) {
      const item = useful[at];
      if (!item || item.bytes > bytes || item.instructions > instructions) continue;
      looks++;
      const left = { bytes: bytes - item.bytes, instructions: instructions - item.instructions };
      const worth = soFar + item.value;
      if (worth + mostIn(left, filled) <= value + tolerance) continue;
      path.push(item);
      if (worth > value + tolerance) [chosen, value] = [path.slice(), worth];
      search(at, left.bytes, left.instructions, worth);
      path.pop();
    }
  };
  search(0, room.bytes, room.instructions, 0);
  return { chosen, value, isMost: looks < maxLooks, looks };
}

function mostIn<Each>(room: Room, filled: readonly Filled<Each>[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { measure, mostOfSize } of filled) most = Math.min(most, mostOfSize[sizeBy(measure, room)] ?? 0);
  return most;
}

function isWithin({ bytes, instructions }: Room, other: Room): boolean {
  return bytes <= other.bytes && instructions <= other.instructions;
}

// Those that no other is worth as much as and takes no more than.
function undominated<Each extends Item>(items: Each[]): Each[] {
  const kept: Each[] = [];
  items.sort((a, b) => b.value - a.value || a.bytes - b.bytes || a.instructions - b.instructions);
  for (const item of items) if (!kept.some((other) => isWithin(other, item))) kept.push(item);
  return kept;
}
