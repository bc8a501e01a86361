import type { Pace, Steps } from './steps.ts';
import type { Limit, WeighedBatch, WeighedTransfer } from './weigh-batch.ts';

/** Transfers that weigh the same and share the same, so that any of them stands for all. */
export interface Kind {
  /** Those that are left, the last first. */
  transfers: WeighedTransfer[];
  /** Any of them, for what they weigh. */
  one: WeighedTransfer;
  /** What one of them takes of the scarcest limit in a transaction of its own. */
  alone: number;
  /** The same in the transaction that is being filled, which has some of what they share. */
  weight: number;
}

// How much work it is to tell the kind of a transfer.
const unitsPerTransfer = 0.4;

/** Returns the transfers of a batch by kinds, the kind first that takes most of the scarcest limit. */
export function* kindsOf(batch: WeighedBatch, scarcest: Limit, pace: Pace): Steps<readonly Kind[]> {
  const kinds = new Map<string, Kind>();
  // The first of a kind come first out of its list.
  for (const one of batch.transfers.toReversed()) {
    if (pace.isStepOver(unitsPerTransfer)) yield;
    const { bytes, accounts, instructions, computeUnits, creates, memoComputeUnits, shared } = one;
    const key = `${bytes},${accounts},${instructions},${computeUnits},${creates},${memoComputeUnits},${shared}`;
    const kind = kinds.get(key);
    if (kind) {
      kind.transfers.push(one);
      continue;
    }
    const alone = shared.reduce((sum, part) => sum + (batch.shared[part]?.[scarcest] ?? 0), one[scarcest]);
    kinds.set(key, { transfers: [one], one, alone, weight: alone });
  }
  return [...kinds.values()].sort((a, b) => b.alone - a.alone);
}

/** Returns the same kinds, of which transfers can be taken without taking them from these. */
export function copyOfKinds(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.map(({ transfers, one, alone }) => ({ transfers: [...transfers], one, alone, weight: alone }));
}
