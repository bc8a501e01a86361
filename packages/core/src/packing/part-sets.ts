import type { Kind } from './kinds-of-transfers.ts';
import type { Room } from './knapsack.ts';
import { capacityOf } from './least-parts.ts';
import type { Pace, Steps } from './steps.ts';
import { budgetBytesOf, limitInstructionBytes } from './transaction-load.ts';
import { addressLength, type WeighedBatch, type WeighedTransfer } from './weigh-batch.ts';

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

// Stands for the compute limit that a memo needs next to a hook, where not every transaction has one.
const limitPart = -1;

/** Returns every set of parts that some kinds need together, or undefined where there are too many to look at. */
export function* partSetsOf(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  pace: Pace,
): Steps<readonly PartSet[] | undefined> {
  const needs = kinds.map(({ one }) => needsOf(one, batch));
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
    return { room: roomBeside(set, batch), kinds: within };
  });
}

function needsOf({ shared, memoComputeUnits }: WeighedTransfer, { frame }: WeighedBatch): readonly number[] {
  const isLimitOpen = frame.isHooked && frame.version !== 1 && budgetBytesOf(frame) === 0;
  return isLimitOpen && memoComputeUnits !== undefined ? [limitPart, ...shared] : shared;
}

function roomBeside(set: ReadonlySet<number>, batch: WeighedBatch): Room {
  let bytes = capacityOf(batch, 'bytes');
  let instructions = capacityOf(batch, 'instructions');
  for (const part of set) {
    bytes -= batch.shared[part]?.bytes ?? 0;
    instructions -= batch.shared[part]?.instructions ?? 0;
  }
  if (!set.has(limitPart)) return { bytes, instructions };
  const hasProgram = batch.shared.some(({ isLimitProgram }) => isLimitProgram);
  return { bytes: bytes - limitInstructionBytes - (hasProgram ? 0 : addressLength), instructions };
}
