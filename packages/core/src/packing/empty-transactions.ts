import type { Pause } from './pause.ts';
import type { Parts } from './weights/least-parts.ts';
import type { TransactionLoad } from './weights/transaction-load.ts';

// How many are tried, so that no batch takes long.
const maxTried = 8;
// How much work it is to see how full a transaction is, and to try whether a transfer fits into it.
const unitsPerFill = 50;
const unitsPerTry = 30;

/** What is left of a packing, and the work that it took to leave that. */
export interface EmptiedTransactions {
  loads: readonly TransactionLoad[];
  units: number;
}

/**
 * Returns the loads without those whose transfers all fit into others. The least full are tried, until `goal` are left.
 *
 * `parts`: how much of a transaction each transfer takes.
 */
export async function emptyTransactions(
  loads: readonly TransactionLoad[],
  parts: Parts,
  goal: number,
  pause: Pause,
): Promise<EmptiedTransactions> {
  const fills = new Map(loads.map((load) => [load, fillOf(load, parts)]));
  let left = loads.toSorted((a, b) => (fills.get(a) ?? 0) - (fills.get(b) ?? 0));
  let units = loads.length * unitsPerFill;
  for (const load of left.slice(0, maxTried)) {
    if (left.length <= goal) break;
    const others = left.filter((other) => other !== load);
    for (const transfer of load.transfers.toSorted((a, b) => (parts[b.index] ?? 0) - (parts[a.index] ?? 0))) {
      load.remove(transfer);
      if (!others.some((other) => other.add(transfer))) load.add(transfer);
      units += others.length * unitsPerTry;
    }
    if (load.transfers.length === 0) left = others;
    await pause();
  }
  return { loads: left, units };
}

function fillOf(load: TransactionLoad, parts: Parts): number {
  return load.transfers.reduce((sum, { index }) => sum + (parts[index] ?? 0), 0);
}
