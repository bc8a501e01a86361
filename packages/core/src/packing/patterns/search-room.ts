import { tolerance } from '../weights/least-parts.ts';
import { isWithin, limits, type Weight } from '../weights/weigh-batch.ts';
import { type Filled, type Item, type Room, sizeBy } from './knapsack.ts';

/** What was found to be worth most by all limits. */
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
 * Looks for what is worth more than `known` of all that fits into a room by all limits, each item as often as one likes.
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
  useful.sort((a, b) => b.value / partOf(b, room) - a.value / partOf(a, room));
  const path: Each[] = [];
  let chosen: readonly Each[] = [];
  let value = known;
  let looks = 0;
  const search = (first: number, left: Room, soFar: number): void => {
    for (let at = first; at < useful.length && looks < maxLooks; at++) {
      const item = useful[at];
      if (!item || !isWithin(item, left)) continue;
      looks++;
      const leftNext = without(left, item);
      const worth = soFar + item.value;
      if (worth + mostIn(leftNext, filled) <= value + tolerance) continue;
      path.push(item);
      if (worth > value + tolerance) [chosen, value] = [path.slice(), worth];
      search(at, leftNext, worth);
      path.pop();
    }
  };
  search(0, room, 0);
  return { chosen, value, isMost: looks < maxLooks, looks };
}

function partOf(item: Weight, room: Room): number {
  let part = 0;
  for (const limit of limits) part += item[limit] / Math.max(1, room[limit]);
  return part;
}

function without(room: Room, { bytes, accounts, instructions, computeUnits }: Weight): Room {
  return {
    bytes: room.bytes - bytes,
    accounts: room.accounts - accounts,
    instructions: room.instructions - instructions,
    computeUnits: room.computeUnits - computeUnits,
  };
}

function mostIn<Each>(room: Room, filled: readonly Filled<Each>[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { measure, mostOfSize } of filled) most = Math.min(most, mostOfSize[sizeBy(measure, room)] ?? 0);
  return most;
}

// Those that no other is worth as much as and takes no more than.
function undominated<Each extends Item>(items: Each[]): Each[] {
  const kept: Each[] = [];
  items.sort((a, b) => b.value - a.value || a.bytes - b.bytes || a.instructions - b.instructions);
  for (const item of items) if (!kept.some((other) => isWithin(other, item))) kept.push(item);
  return kept;
}
