import { type Filling, fillTransactions } from './fill-transactions.ts';
import type { Pause } from './pause.ts';
import type { FewestTransactions } from './weights/fewest-transactions.ts';
import { capacityOf, meanParts, type Parts } from './weights/least-parts.ts';
import type { TransactionLoad } from './weights/transaction-load.ts';
import { kindsOf, ofEachLimit, type WeighedBatch } from './weights/weigh-batch.ts';

const maxTries = 20;
// Choosing more together takes long, and ignores what they share.
const usualTogether = 3;
// How much more the scarce limits count: what is not scarce costs next to nothing.
const scarcity = 4;

/**
 * Packs a batch again, several times, and returns the best of these packings and `packed`.
 *
 * First a transfer is worth what it takes of the scarcest limit. Then it is worth what it takes of all limits, and a limit costs more in a
 * transaction that has little left of it. The third time all transfers of a transaction but the first are chosen together. From then on
 * it is as the second time, and what a transaction left empty makes its transfers worth more the next time.
 *
 * Ends when there are as few transactions as there can be (`fewest`). After two tries no other begins when `maxUnits` of work are done, and a
 * try that takes twice as much is given up.
 */
export async function packTightly(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  maxUnits: number,
  pause: Pause,
): Promise<readonly TransactionLoad[]> {
  const { parts, partsOfLimits, scarcest, totals } = fewest;
  const kinds = kindsOf(batch, scarcest);
  const capacities = ofEachLimit((limit) => capacityOf(batch, limit));
  const prices = ofEachLimit((limit) => (totals[limit] / totals[scarcest]) ** scarcity / capacities[limit]);
  const means = meanParts(partsOfLimits, scarcity);
  const byWorth: Filling = { values: parts, scarcest, prices, capacities: undefined, chosenTogether: usualTogether };
  const balanced: Filling = { ...byWorth, values: means, capacities };
  const fillings = [byWorth, balanced, { ...byWorth, chosenTogether: Number.POSITIVE_INFINITY }];
  let values: readonly number[] = means;
  let best = packed;
  let units = 0;
  await pause();
  for (let tried = 0; tried < maxTries && best.length > fewest.count; tried++) {
    if (tried > 1 && units > maxUnits) break;
    const filling = fillings[tried] ?? { ...balanced, values };
    const filled = await fillTransactions(batch, kinds, filling, 2 * maxUnits, pause);
    if (!filled) break;
    if (filling.capacities) values = raised(values, means, filled.loads);
    const emptied = await emptyTransactions(filled.loads, parts, fewest.count, pause);
    if (emptied.loads.length < best.length) best = emptied.loads;
    units += filled.units + emptied.units;
  }
  return best;
}

// Halfway from the old values to those that pay for what their transaction left empty.
function raised(values: readonly number[], parts: readonly number[], loads: readonly TransactionLoad[]): number[] {
  const next = [...values];
  for (const { transfers } of loads) {
    const filled = transfers.reduce((sum, { index }) => sum + (parts[index] ?? 0), 0);
    const factor = (1 + Math.max(0, 1 - filled) / 2) ** 2;
    for (const { index } of transfers) next[index] = ((values[index] ?? 0) + (parts[index] ?? 0) * factor) / 2;
  }
  return next;
}

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
async function emptyTransactions(
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
