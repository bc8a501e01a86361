import type { Parts } from './weights/least-parts.ts';
import type { Pace, Steps } from './weights/steps.ts';
import type { TransactionLoad } from './weights/transaction-load.ts';
import type { WeighedTransfer } from './weights/weigh-batch.ts';

// What is tried at most, so that no batch takes long.
const maxExchanges = 4_000;
const maxVictims = 8;
// How much work it is to see how full a transaction is, to try whether a transfer fits into it, and to try an exchange.
const unitsPerFill = 0.3;
const unitsPerTry = 0.08;
const unitsPerExchange = 0.3;

/**
 * Returns the loads without those that could be emptied into the others: the least full first, until as many as `goal` are left.
 *
 * Where the others have no room for a transfer it is exchanged for a smaller one, as long as that helps.
 */
export function* emptyTransactions(
  loads: readonly TransactionLoad[],
  parts: Parts,
  goal: number,
  pace: Pace,
): Steps<TransactionLoad[]> {
  const budget = { exchanges: maxExchanges };
  let left = [...loads];
  for (let victim = 0; left.length > goal && victim < Math.min(left.length, maxVictims); ) {
    const fills = new Map(left.map((load) => [load, fillOf(load, parts)]));
    left.sort((a, b) => (fills.get(a) ?? 0) - (fills.get(b) ?? 0));
    if (pace.isStepOver(left.length * unitsPerFill)) yield;
    const others = left.toSpliced(victim, 1);
    const load = left[victim];
    if (load && (yield* empty(load, others, parts, budget, pace))) [left, victim] = [others, 0];
    else victim += 1;
  }
  return left;
}

function fillOf(load: TransactionLoad, parts: Parts): number {
  return load.transfers.reduce((sum, { index }) => sum + (parts[index] ?? 0), 0);
}

function* empty(
  load: TransactionLoad,
  others: readonly TransactionLoad[],
  parts: Parts,
  budget: { exchanges: number },
  pace: Pace,
): Steps<boolean> {
  const partOf = ({ index }: WeighedTransfer): number => parts[index] ?? 0;
  for (;;) {
    for (const transfer of load.transfers.toSorted((a, b) => partOf(b) - partOf(a))) {
      load.remove(transfer);
      if (!others.some((other) => other.add(transfer))) load.add(transfer);
      if (pace.isStepOver(others.length * unitsPerTry)) yield;
    }
    if (load.transfers.length === 0) return true;
    if (!(yield* exchangeOne(load, others, partOf, budget, pace))) return false;
  }
}

// The exchange that leaves least in the load.
function* exchangeOne(
  load: TransactionLoad,
  others: readonly TransactionLoad[],
  partOf: (transfer: WeighedTransfer) => number,
  budget: { exchanges: number },
  pace: Pace,
): Steps<boolean> {
  let best: [TransactionLoad, WeighedTransfer, WeighedTransfer] | undefined;
  let bestGain = 1e-9;
  const smallest = new Map(others.map((other) => [other, Math.min(...other.transfers.map(partOf))]));
  if (pace.isStepOver(others.length * unitsPerFill)) yield;
  for (const out of load.transfers.slice()) {
    for (const other of others) {
      if (partOf(out) - (smallest.get(other) ?? 0) <= bestGain) continue;
      for (const back of other.transfers.slice()) {
        const gain = partOf(out) - partOf(back);
        if (gain <= bestGain) continue;
        if (budget.exchanges-- <= 0) return false;
        if (pace.isStepOver(unitsPerExchange)) yield;
        if (!exchange(load, out, other, back)) continue;
        exchange(load, back, other, out);
        [best, bestGain] = [[other, out, back], gain];
      }
    }
  }
  if (!best) return false;
  const [other, out, back] = best;
  return exchange(load, out, other, back);
}

// All or nothing.
function exchange(load: TransactionLoad, out: WeighedTransfer, other: TransactionLoad, back: WeighedTransfer): boolean {
  load.remove(out);
  other.remove(back);
  if (other.add(out)) {
    if (load.add(back)) return true;
    other.remove(out);
  }
  other.add(back);
  load.add(out);
  return false;
}
