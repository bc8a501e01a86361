import { capacityOf, limitOfHookedMemo } from '../weights/least-parts.ts';
import type { Pace, Steps } from '../weights/steps.ts';
import { limits, ofEachLimit, type WeighedBatch, type Weight } from '../weights/weigh-batch.ts';
import type { Choice } from './choices.ts';
import type { Room } from './knapsack.ts';

/** A set of parts that a transaction may have. */
export interface PartSet {
  /** What it leaves of a transaction. */
  room: Room;
  /** The indices of what needs no other parts. */
  within: readonly number[];
}

// So that no batch takes long.
const maxSets = 64;
const unitsPerPart = 0.05;

// Stands for the compute limit that a memo needs next to a hook.
const limitPart = -1;

/** Returns every set of parts that some choices need together, or undefined where there are too many to look at. */
export function* partSetsOf(
  batch: WeighedBatch,
  choices: readonly Choice[],
  pace: Pace,
): Steps<readonly PartSet[] | undefined> {
  const ofLimit = limitOfHookedMemo(batch);
  const needs = choices.map(({ one: { shared, memoComputeUnits } }) =>
    ofLimit.bytes > 0 && memoComputeUnits !== undefined ? [limitPart, ...shared] : shared,
  );
  const sets = new Map<string, ReadonlySet<number>>();
  for (const needed of needs) {
    for (const set of [new Set<number>(), ...sets.values()]) {
      const together = new Set([...set, ...needed].sort((a, b) => a - b));
      sets.set([...together].join(), together);
      if (pace.isStepOver((1 + together.size) * unitsPerPart)) yield;
    }
    if (sets.size > maxSets) return undefined;
  }
  return [...sets.values()].map((set) => {
    const within = [...choices.keys()].filter((choice) => needs[choice]?.every((part) => set.has(part)));
    return { room: roomBeside(set, batch, ofLimit), within };
  });
}

function roomBeside(set: ReadonlySet<number>, batch: WeighedBatch, ofLimit: Readonly<Weight>): Room {
  const room = ofEachLimit((limit) => capacityOf(batch, limit));
  for (const part of set) {
    const taken = part === limitPart ? ofLimit : batch.shared[part];
    for (const limit of limits) room[limit] -= taken?.[limit] ?? 0;
  }
  return room;
}
