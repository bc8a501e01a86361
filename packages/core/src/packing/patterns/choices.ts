import { asOne, groupsOf, withShares } from '../weights/groups.ts';
import { type Kind, kindsOf } from '../weights/kinds-of-transfers.ts';
import type { Pace, Steps } from '../weights/steps.ts';
import type { Limit, WeighedBatch, WeighedTransfer } from '../weights/weigh-batch.ts';
import { coarsen } from './coarse-kinds.ts';

/** What a transaction may have as one: a transfer of a kind, or several transfers that share what few others need. */
export interface Choice {
  one: WeighedTransfer;
  /** The kinds of its transfers, one for each. */
  kinds: readonly number[];
}

/** The transfers of a batch by kinds, and all that its transactions are made of. */
export interface ChoicesOfBatch {
  kinds: readonly Kind[];
  choices: readonly Choice[];
}

// Of more there are too many choices.
const maxTogether = 4;
// How much work a choice is.
const unitsPerChoice = 0.5;

/** Returns a choice for each kind. */
export function choicesOf(kinds: readonly Kind[]): readonly Choice[] {
  return kinds.map(({ one }, kind) => ({ one, kinds: [kind] }));
}

/**
 * Returns all choices of some transfers that share what few others need, each as much as it takes of a transaction at least.
 *
 * Of the transfers of a transaction those of one group are one choice, or as many as they are where the group is large: then what few need
 * is divided among all of them, which takes no more of any transaction than it does. So no packing has fewer transactions than one of
 * choices in which each kind is as often as there are transfers of it. `undefined` where there are too many kinds.
 */
export function* choicesOfGroups(
  batch: WeighedBatch,
  scarcest: Limit,
  maxKinds: number,
  pace: Pace,
): Steps<ChoicesOfBatch | undefined> {
  const { membersOf, groups } = yield* groupsOf(batch, pace);
  // By how many are in a group, so that no choice is of transfers that could not be together.
  const classes = new Map<number, WeighedTransfer[]>();
  for (const group of groups) {
    const isLarge = group.length > maxTogether;
    const size = isLarge ? 0 : group.length;
    const ones = classes.get(size) ?? [];
    for (const each of group) {
      ones.push(isLarge ? withShares(batch, each, membersOf) : asOne(batch, [each], membersOf, each.index));
    }
    classes.set(size, ones);
    if (pace.isStepOver(group.length * unitsPerChoice)) yield;
  }
  const kindsOfClasses: (readonly Kind[])[] = [];
  for (const transfers of classes.values()) {
    kindsOfClasses.push(yield* kindsOf({ ...batch, transfers }, scarcest, pace));
  }
  const coarse = coarsen(kindsOfClasses, maxKinds);
  if (!coarse) return undefined;
  const kinds = coarse.least;
  const kindOf: number[] = [];
  for (const [kind, { transfers }] of kinds.entries()) for (const { index } of transfers) kindOf[index] = kind;
  const choices = [...choicesOf(kinds)];
  for (const group of groups) {
    if (group.length === 1 || group.length > maxTogether) continue;
    for (let chosen = 3; chosen < 1 << group.length; chosen++) {
      const some = group.filter((_, at) => (chosen >> at) & 1);
      if (some.length === 1) continue;
      choices.push({ one: asOne(batch, some, membersOf), kinds: some.map(({ index }) => kindOf[index] ?? 0) });
      if (pace.isStepOver(unitsPerChoice)) yield;
    }
  }
  return { kinds, choices };
}
