import type { Kind } from './kinds-of-transfers.ts';
import type { Parts } from './least-parts.ts';
import type { WeighedTransfer } from './weigh-batch.ts';

/** Transfers of a kind, as patterns see them. */
export interface PatternKind {
  transfers: readonly WeighedTransfer[];
  /** The mean of the parts that one takes of all limits, the scarce ones counting most. Those in one transaction sum up to 1 at most. */
  mean: number;
}

/** Returns kinds of transfers for which patterns are looked for. `parts`: of each limit, of all transfers. */
export function patternKindsOf(kinds: readonly Kind[], parts: readonly Parts[]): readonly PatternKind[] {
  const totals = parts.map((ofLimit) => ofLimit.reduce((sum, part) => sum + part, 0));
  const highest = Math.max(...totals);
  const weights = totals.map((total) => (total / highest) ** 8);
  const sumOfWeights = weights.reduce((sum, weight) => sum + weight, 0);
  return kinds.map(({ transfers }) => {
    let mean = 0;
    for (const [limit, ofLimit] of parts.entries()) {
      // Those of a kind take the same; the least of them is right in any case.
      const least = Math.min(...transfers.map(({ index }) => ofLimit[index] ?? 0));
      mean += (least * (weights[limit] ?? 0)) / sumOfWeights;
    }
    return { transfers: transfers.slice(), mean: Math.max(mean, 1e-9) };
  });
}
