import type { Kind } from './weights/kinds-of-transfers.ts';

/** What fills a room best of all that was looked at. */
export interface BestFill {
  chosen: readonly Kind[];
  /** How many choices were looked at. */
  choices: number;
}

/** Returns the transfers, by kinds, that fit into a room together and are worth most; after so many choices the best so far. */
export function bestFill(
  kinds: readonly Kind[],
  room: number,
  values: readonly number[],
  maxChoices: number,
): BestFill {
  const sorted = kinds.toSorted((a, b) => b.weight - a.weight);
  const worthOf = (kind: Kind): number => values[kind.one.index] ?? 0;
  const highestWorth = sorted.reduce((most, kind) => Math.max(most, worthOf(kind) / kind.weight), 0);
  const chosen: Kind[] = [];
  let best: readonly Kind[] = [];
  let bestValue = 0;
  let choices = 0;
  const choose = (from: number, left: number, value: number): void => {
    if (value > bestValue + 1e-9) {
      bestValue = value;
      best = chosen.slice();
    }
    for (let at = Math.max(from, firstWithin(sorted, left)); at < sorted.length; at++) {
      const kind = sorted[at];
      if (!kind || choices >= maxChoices || value + left * highestWorth <= bestValue + 1e-9) return;
      if (countOf(chosen, kind) === kind.transfers.length) continue;
      choices += 1;
      chosen.push(kind);
      choose(at, left - kind.weight, value + worthOf(kind));
      chosen.pop();
    }
  };
  choose(0, room, 0);
  return { chosen: best, choices };
}

function countOf(chosen: readonly Kind[], kind: Kind): number {
  let count = 0;
  for (const each of chosen) if (each === kind) count += 1;
  return count;
}

// The index of the largest one that is no larger than `room`.
function firstWithin(sorted: readonly Kind[], room: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.weight ?? 0) > room) low = middle + 1;
    else high = middle;
  }
  return low;
}
