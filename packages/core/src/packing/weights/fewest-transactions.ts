import { countOfSmallest, leastPartsOf, type Parts, sortedNumbers, tolerance } from './least-parts.ts';
import { type Limit, limits, type WeighedBatch, type Weight } from './weigh-batch.ts';

/** How many transactions a batch needs at least, and what says so. */
export interface FewestTransactions {
  /** No packing has fewer transactions than this. */
  count: number;
  /** The transactions that all parts of each limit sum up to. */
  totals: Weight;
  /** The limit of which all transfers together take most. */
  scarcest: Limit;
  /** Of that limit. */
  parts: Parts;
  /** Of each limit that was looked at. */
  partsOfLimits: readonly Parts[];
}

// A step is then smaller than a transfer that takes nothing but its instruction and its account.
const mostSteps = 20;

/**
 * Returns a number of transactions below which no packing can come, from what the transfers take at least.
 *
 * A transfer takes a part of each limit of a transaction: bytes, accounts, instructions, compute units. The parts of those that
 * share a transaction are 1 at most (`leastPartsOf` has the proof), so for each limit there are these bounds: the sum of all parts;
 * the number of transfers by how many of the smallest go into one transaction; and the same by steps, of which the large ones take
 * more (Fekete and Schepers, "New classes of fast lower bounds for bin packing problems", 2001). For bytes also: which large
 * ones cannot share one (the bound L2 of Martello and Toth, "Lower bounds and reduction procedures for the bin packing problem", 1990).
 *
 * `enough`: as many as there are in a packing. Where that is reached nothing else is looked at, and `totals` are not complete.
 */
export function fewestTransactions(batch: WeighedBatch, enough = Number.POSITIVE_INFINITY): FewestTransactions {
  const totals: Weight = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };
  let count = 0;
  let scarcest: Limit = 'bytes';
  let scarcestParts: Parts = [];
  const partsOfLimits: Parts[] = [];
  for (const limit of limits) {
    const parts = leastPartsOf(batch, limit);
    const total = parts.reduce((sum, part) => sum + part, 0);
    totals[limit] = total;
    partsOfLimits.push(parts);
    const togetherAtMost = Math.max(1, countOfSmallest(sortedNumbers(parts), 1));
    count = Math.max(count, Math.ceil(total - tolerance), Math.ceil(parts.length / togetherAtMost));
    if (count < enough) count = Math.max(count, boundOfSteps(parts));
    if (count < enough && limit === 'bytes') count = Math.max(count, boundOfLargeOnes(parts));
    if (limit === 'bytes' || total > totals[scarcest]) {
      scarcest = limit;
      scarcestParts = parts;
    }
    if (count >= enough) break;
  }
  return { count, totals, scarcest, parts: scarcestParts, partsOfLimits };
}

// A part above n/(k+1) counts n: those in one transaction are 1 at most, so their counts are less than k+1, k at most.
function boundOfSteps(parts: Parts): number {
  let bound = 0;
  for (let k = 1; k <= mostSteps; k++) {
    let steps = 0;
    for (const part of parts) steps += Math.floor((part - tolerance) * (k + 1));
    bound = Math.max(bound, Math.ceil(steps / k - tolerance));
  }
  return bound;
}

function boundOfLargeOnes(parts: Parts): number {
  const sorted = Float64Array.from(parts).sort().reverse();
  const sums = new Float64Array(sorted.length + 1);
  for (const [index, part] of sorted.entries()) sums[index + 1] = (sums[index] ?? 0) + part;
  const halves = countAbove(sorted, 1 / 2 + tolerance);
  let bound = halves;
  for (const smallest of new Set(sorted.subarray(halves))) {
    // Those above a half share a transaction with none of their kind, and the largest with nothing down to `smallest`.
    const alone = countAbove(sorted, 1 - smallest + tolerance);
    const end = countAbove(sorted, smallest - tolerance);
    const small = (sums[end] ?? 0) - (sums[halves] ?? 0);
    const roomBesideHalves = halves - alone - ((sums[halves] ?? 0) - (sums[alone] ?? 0));
    bound = Math.max(bound, halves + Math.max(0, Math.ceil(small - roomBesideHalves - tolerance)));
  }
  return bound;
}

// How many of the largest are above a bound.
function countAbove(sorted: Float64Array, bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
