import { emptyTransactions } from './empty-transactions.ts';
import { type Filling, fillTransactions } from './fill-transactions.ts';
import type { Pause } from './pause.ts';
import type { FewestTransactions } from './weights/fewest-transactions.ts';
import { kindsOf } from './weights/kinds-of-transfers.ts';
import { capacityOf, meanParts } from './weights/least-parts.ts';
import type { TransactionLoad } from './weights/transaction-load.ts';
import { ofEachLimit, type WeighedBatch } from './weights/weigh-batch.ts';

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
