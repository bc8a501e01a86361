import { type Parcel, type TransactionFrame, TransactionLoad } from './transaction-load.ts';

/** A transfer of a batch with its place in the request and what it takes of a transaction alone. */
export interface SizedParcel {
  parcel: Parcel;
  index: number;
  byteLength: number;
}

/**
 * Fills one transaction after another as far as possible: the largest transfer that is left, and then those that leave the
 * smallest gap (after the heuristic "minimum bin slack" of Gupta and Ho, 1999; gaps are filled with one or two transfers at a time).
 */
export function packTightly(transfers: readonly SizedParcel[], frame: TransactionFrame): TransactionLoad[] {
  const left = transfers.toSorted((a, b) => b.byteLength - a.byteLength);
  const loads: TransactionLoad[] = [];
  while (left.length > 0) {
    const load = new TransactionLoad(frame);
    const [largest] = left.splice(0, 1);
    if (largest) load.add(largest.index, largest.parcel);
    fill(load, left);
    loads.push(load);
  }
  return loads;
}

// What is put in is taken from `left`, which is sorted, the largest first.
function fill(load: TransactionLoad, left: SizedParcel[]): void {
  for (;;) {
    const smallest = left.at(-1)?.byteLength ?? Number.POSITIVE_INFINITY;
    const gap = load.byteRoom;
    if (smallest > gap) return;
    const chosen = gap < 3 * smallest ? bestPair(left, gap) : [firstWithin(left, gap - 2 * smallest)];
    const added = chosen.filter((at) => {
      const transfer = left[at];
      return transfer !== undefined && load.add(transfer.index, transfer.parcel);
    });
    // Other limits than bytes may be reached, or accounts were shared: then whatever still has room goes in, once.
    if (added.length === 0) {
      fillInOrder(load, left);
      return;
    }
    for (const at of added.sort((a, b) => b - a)) left.splice(at, 1);
  }
}

function fillInOrder(load: TransactionLoad, left: SizedParcel[]): void {
  for (let at = 0; at < left.length; at++) {
    const transfer = left[at];
    if (transfer && load.add(transfer.index, transfer.parcel)) left.splice(at--, 1);
  }
}

// The index of the largest one that is no larger than `room`.
function firstWithin(sorted: readonly SizedParcel[], room: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.byteLength ?? 0) > room) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The one or two that leave the smallest gap, by one pass from both ends.
function bestPair(sorted: readonly SizedParcel[], gap: number): number[] {
  const single = firstWithin(sorted, gap);
  let best = [single];
  let fullest = sorted[single]?.byteLength ?? 0;
  for (let large = single, small = sorted.length - 1; large < small; ) {
    const sum = (sorted[large]?.byteLength ?? 0) + (sorted[small]?.byteLength ?? 0);
    if (sum > gap) {
      large++;
      continue;
    }
    if (sum > fullest) {
      best = [large, small];
      fullest = sum;
    }
    small--;
  }
  return best;
}
