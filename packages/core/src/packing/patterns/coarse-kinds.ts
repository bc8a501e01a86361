import type { Kind } from '../weights/kinds-of-transfers.ts';
import type { WeighedTransfer } from '../weights/weigh-batch.ts';

/** Kinds of nearly the same size as one, both by the least and by the most that any of them takes. */
export interface CoarseKinds {
  /** What fits into a transaction fits by these. */
  least: readonly Kind[];
  /** What fits into a transaction by these fits. */
  most: readonly Kind[];
}

/**
 * Puts kinds together that differ only in their size, until there are no more than so many. `undefined` where they differ in other ways.
 *
 * `classes`: kinds of different classes stay apart.
 * As many of one size as of the next become one, so that what is lost is the same everywhere (linear grouping: Fernandez de la Vega and
 * Lueker, "Bin packing can be solved within 1 + ε in linear time", 1981).
 */
export function coarsen(classes: readonly (readonly Kind[])[], maxCount: number): CoarseKinds | undefined {
  const families = classes.flatMap(familiesOf);
  if (families.length > maxCount) return undefined;
  let step = 1;
  while (countGroups(families, step) > maxCount) step++;
  const groups = families.flatMap((family) => {
    const count = Math.ceil(family.length / step);
    return Array.from({ length: count }, (_, at) => {
      const [start, end] = [at, at + 1].map((edge) => Math.round((edge * family.length) / count));
      return family.slice(start, end);
    });
  });
  return { least: groups.map((group) => asOne(group, Math.min)), most: groups.map((group) => asOne(group, Math.max)) };
}

function countGroups(families: readonly (readonly Kind[])[], step: number): number {
  return families.reduce((count, { length }) => count + Math.ceil(length / step), 0);
}

// Those that differ only in bytes and compute units, by their bytes.
function familiesOf(kinds: readonly Kind[]): readonly (readonly Kind[])[] {
  const families = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const { accounts, instructions, creates, memoComputeUnits, shared } = kind.one;
    const key = `${accounts},${instructions},${creates},${memoComputeUnits === undefined},${shared}`;
    const family = families.get(key);
    if (family) family.push(kind);
    else families.set(key, [kind]);
  }
  return [...families.values()].map((family) => family.sort((a, b) => a.one.bytes - b.one.bytes));
}

function asOne(group: readonly Kind[], choose: (...numbers: number[]) => number): Kind {
  const [first] = group;
  if (!first) throw new RangeError('a group has a kind');
  const chosen = (numberOf: (one: WeighedTransfer) => number): number =>
    choose(...group.map(({ one }) => numberOf(one)));
  const { memoComputeUnits } = first.one;
  const one: WeighedTransfer = {
    ...first.one,
    bytes: chosen(({ bytes }) => bytes),
    computeUnits: chosen(({ computeUnits }) => computeUnits),
    memoComputeUnits: memoComputeUnits === undefined ? undefined : chosen((each) => each.memoComputeUnits ?? 0),
  };
  const alone = choose(...group.map((kind) => kind.alone));
  return { transfers: group.flatMap(({ transfers }) => transfers), one, alone, weight: alone };
}
