import type { Kind } from './kinds-of-transfers.ts';
import type { Room } from './knapsack.ts';
import { capacityOf, limitBytesOfHookedMemo } from './least-parts.ts';
import type { Pace, Steps } from './steps.ts';
import type { WeighedBatch } from './weigh-batch.ts';

/** A set of parts that a transaction may have. */
export interface PartSet {
  /** What it leaves of a transaction. */
  room: Room;
  /** The kinds that need no other parts. */
  kinds: readonly number[];
}

// So that no batch takes long.
const maxSets = 64;
const unitsPerPart = 0.05;

// Stands for the compute limit that a memo needs next to a hook.
const limitPart = -1;

/** Returns every set of parts that some kinds need together, or undefined where there are too many to look at. */
export function* partSetsOf(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  pace: Pace,
): Steps<readonly PartSet[] | undefined> {
  const limitBytes = limitBytesOfHookedMemo(batch);
  const needs = kinds.map(({ one: { shared, memoComputeUnits } }) =>
    limitBytes > 0 && memoComputeUnits !== undefined ? [limitPart, ...shared] : shared,
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
    const within = [...kinds.keys()].filter((kind) => needs[kind]?.every((part) => set.has(part)));
    return { room: roomBeside(set, batch, limitBytes), kinds: within };
  });
}

function roomBeside(set: ReadonlySet<number>, batch: WeighedBatch, limitBytes: number): Room {
  let bytes = capacityOf(batch, 'bytes');
  let instructions = capacityOf(batch, 'instructions');
  for (const part of set) {
    bytes -= part === limitPart ? limitBytes : (batch.shared[part]?.bytes ?? 0);
    instructions -= batch.shared[part]?.instructions ?? 0;
  }
  return { bytes, instructions };
}
