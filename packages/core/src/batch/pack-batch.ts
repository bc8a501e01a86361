import type { Steps } from '../plan/steps.ts';
import { fewestTransactions } from './fewest-transactions.ts';
import { limitsOf, TransactionLoad } from './transaction-load.ts';
import { limits, type WeighedBatch, type WeighedTransfer } from './weigh-batch.ts';

/** How the transfers of a batch are divided among transactions. */
export interface Packing {
  /** Of each transaction the indices of its transfers, in their order; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

/**
 * Divides transfers among few transactions, by the best of three orders: as given; the largest first; and grouped by the accounts that
 * they share, so that many of a group are in one transaction. The given order stays where no other saves a transaction.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export function* packBatch(batch: WeighedBatch): Steps<Packing | { tooLarge: readonly number[] }> {
  const inOrder = packInOrder(batch);
  if ('tooLarge' in inOrder) return inOrder;
  const lowerBound = fewestTransactions(batch);
  let best = inOrder.loads;
  if (best.length > lowerBound) {
    const largestFirst = sortLargestFirst(batch);
    for (const transfers of [largestFirst, groupByShared(largestFirst)]) {
      const loads = yield* packWhereLeastIsAdded(batch, transfers);
      if (loads.length < best.length) best = loads;
    }
  }
  return { transactions: toIndices(best), lowerBound };
}

// A transfer goes into the last transaction, or opens the next one.
function packInOrder(batch: WeighedBatch): { loads: readonly TransactionLoad[] } | { tooLarge: readonly number[] } {
  const loads: TransactionLoad[] = [];
  const tooLarge: number[] = [];
  for (const transfer of batch.transfers) {
    if (loads.at(-1)?.add(transfer)) continue;
    const load = new TransactionLoad(batch);
    if (load.add(transfer)) loads.push(load);
    else tooLarge.push(transfer.index);
  }
  return tooLarge.length > 0 ? { tooLarge } : { loads };
}

// A transfer goes into the first transaction of those that grow least by it, or opens another one.
function* packWhereLeastIsAdded(
  batch: WeighedBatch,
  transfers: readonly WeighedTransfer[],
): Steps<readonly TransactionLoad[]> {
  const loads: TransactionLoad[] = [];
  for (const transfer of transfers) {
    let best: TransactionLoad | undefined;
    let leastAdded = Number.POSITIVE_INFINITY;
    for (const load of loads) {
      const before = load.byteLength;
      if (!load.add(transfer)) continue;
      const added = load.byteLength - before;
      load.remove(transfer);
      if (added < leastAdded) [best, leastAdded] = [load, added];
    }
    if (!best) {
      best = new TransactionLoad(batch);
      loads.push(best);
    }
    best.add(transfer);
    yield;
  }
  return loads;
}

// By the limit of which a transfer takes most, with all that it shares.
function sortLargestFirst({ transfers, shared, frame }: WeighedBatch): readonly WeighedTransfer[] {
  const max = limitsOf(frame);
  const sized = transfers.map((transfer) => {
    const parts = [transfer, ...transfer.shared.flatMap((part) => shared[part] ?? [])];
    const sizes = limits.map((limit) => parts.reduce((sum, part) => sum + part[limit], 0) / max[limit]);
    return { transfer, size: Math.max(...sizes) };
  });
  return sized.sort((a, b) => b.size - a.size).map(({ transfer }) => transfer);
}

// Those that need the same parts come next to each other, and next to those that need some of them; of equals the largest stays first.
function groupByShared(transfers: readonly WeighedTransfer[]): readonly WeighedTransfer[] {
  const keyed = transfers.map((transfer) => ({ transfer, key: transfer.shared.join() }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ transfer }) => transfer);
}

function toIndices(loads: readonly TransactionLoad[]): readonly (readonly number[])[] {
  const transactions = loads.map(({ transfers }) => transfers.map(({ index }) => index).sort((a, b) => a - b));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}
