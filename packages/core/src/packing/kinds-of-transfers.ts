import { meanParts, type Parts } from './least-parts.ts';
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

/** Transfers of a kind, as patterns see them. */
export interface PatternKind {
  transfers: readonly WeighedTransfer[];
  /** The mean of the parts that one takes of all limits, the scarce ones counting most. Those in one transaction sum up to 1 at most. */
  mean: number;
}

/** Returns kinds of transfers for which patterns are looked for. `parts`: of each limit, of all transfers. */
export function patternKindsOf(kinds: readonly Kind[], parts: readonly Parts[]): readonly PatternKind[] {
  const means = meanParts(parts, 8);
  return kinds.map(({ transfers }) => {
    // Those of a kind take the same; the least of them is right in any case.
    const mean = Math.min(...transfers.map(({ index }) => means[index] ?? 0));
    return { transfers: transfers.slice(), mean: Math.max(mean, 1e-9) };
  });
}
