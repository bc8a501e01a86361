/** Something that a room is filled with. */
export interface Item {
  size: number;
  value: number;
  /** How often it can be taken. */
  count: number;
}

/** What fills a room best of all that was looked at. */
export interface BestFill<Each> {
  /** Each as often as it is taken. */
  chosen: readonly Each[];
  /** How many choices were looked at. */
  choices: number;
}

/** Returns the items that fit into a room together and are worth most; after `maxChoices` the best so far. */
export function bestFill<Each extends Item>(items: readonly Each[], room: number, maxChoices: number): BestFill<Each> {
  const sorted = items.toSorted((a, b) => b.size - a.size);
  const highestWorth = sorted.reduce((most, { value, size }) => Math.max(most, value / size), 0);
  const chosen: Each[] = [];
  let best: readonly Each[] = [];
  let bestValue = 0;
  let choices = 0;
  const choose = (from: number, left: number, value: number): void => {
    if (value > bestValue + 1e-9) {
      bestValue = value;
      best = chosen.slice();
    }
    for (let at = Math.max(from, firstWithin(sorted, left)); at < sorted.length; at++) {
      const item = sorted[at];
      if (!item || choices >= maxChoices || value + left * highestWorth <= bestValue + 1e-9) return;
      if (chosen.filter((each) => each === item).length === item.count) continue;
      choices += 1;
      chosen.push(item);
      choose(at, left - item.size, value + item.value);
      chosen.pop();
    }
  };
  choose(0, room, 0);
  return { chosen: best, choices };
}

// The index of the largest one that is no larger than `room`.
function firstWithin(sorted: readonly Item[], room: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.size ?? 0) > room) low = middle + 1;
    else high = middle;
  }
  return low;
}
