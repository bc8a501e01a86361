import { emptyTransactions } from './empty-transactions.ts';
import { type FillingWay, fillTransactions } from './fill-transactions.ts';
import type { FewestTransactions } from './weights/fewest-transactions.ts';
import { copyOfKinds, kindsOf } from './weights/kinds-of-transfers.ts';
import { meanParts } from './weights/least-parts.ts';
import type { Pace, Steps } from './weights/steps.ts';
import type { TransactionLoad } from './weights/transaction-load.ts';
import type { WeighedBatch } from './weights/weigh-batch.ts';

/** How a batch is packed again. */
export interface Tries {
  way: FillingWay;
  /** How often, where that does not take too long. */
  count: number;
}

// What packing again may take: a transaction is filled by weighing all kinds of transfers again for each that goes in.
const maxWeighings = 300_000;

/**
 * Packs a batch again, several times: what a transaction left empty makes its transfers worth more the next time.
 *
 * Returns the best of these packings and the one given, and ends where it has as few transactions as there can be (`fewest`).
 */
export function* packTightly(
  batch: WeighedBatch,
  packed: readonly TransactionLoad[],
  fewest: FewestTransactions,
  { way, count }: Tries,
  pace: Pace,
): Steps<readonly TransactionLoad[]> {
  let best = packed;
  if (best.length <= fewest.count) return best;
  const parts = way === 'balanced' ? meanParts(fewest.partsOfLimits, 4) : fewest.parts;
  let values = parts;
  const kinds = yield* kindsOf(batch, fewest.scarcest, pace);
  const weighings = kinds.length * (batch.transfers.length + packed.length);
  const tries = Math.max(1, Math.min(count, Math.floor(maxWeighings / weighings)));
  for (let tried = 0; tried < tries && best.length > fewest.count; tried++) {
    const filled = yield* fillTransactions(batch, copyOfKinds(kinds), fewest, values, way, pace);
    values = raised(values, parts, filled);
    const loads = yield* emptyTransactions(filled, fewest.parts, fewest.count, pace);
    if (loads.length < best.length) best = loads;
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
