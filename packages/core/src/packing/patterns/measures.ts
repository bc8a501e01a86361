import type { FewestTransactions } from '../weights/fewest-transactions.ts';
import { capacityOf } from '../weights/least-parts.ts';
import { limits, nothing, type WeighedBatch } from '../weights/weigh-batch.ts';
import type { Measure } from './knapsack.ts';

// What all transfers take less than so much of, in transactions, is hardly ever short in one.
const scarceFraction = 1 / 2;
// How long a table of what is worth most by each size is, where the limits do not say.
const usualTableLength = 1_400;

/** Returns the measures by which transactions of a batch may be full: by each scarce limit, and by all of these together. */
export function measuresOf(batch: WeighedBatch, { totals, scarcest }: FewestTransactions): readonly Measure[] {
  const scarce = limits.filter((limit) => totals[limit] >= scarceFraction * totals[scarcest]);
  const capacities = new Map(scarce.map((limit) => [limit, capacityOf(batch, limit)]));
  const single = scarce.map((limit) => ({
    ...nothing,
    // There are many of these, and what is rounded down is little.
    [limit]: limit === 'computeUnits' ? usualTableLength / capacityOf(batch, limit) : 1,
  }));
  if (scarce.length === 1) return single;
  const length = capacities.get('bytes') ?? usualTableLength;
  const ofAll = { ...nothing };
  for (const [limit, capacity] of capacities) {
    const size = length / capacity;
    ofAll[limit] = limit === 'computeUnits' ? size : Math.max(1, Math.round(size));
  }
  return [...single, ofAll];
}
