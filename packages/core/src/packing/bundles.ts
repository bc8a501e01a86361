import { asOne, groupsOf, type Members } from './weights/groups.ts';
import type { Pace, Steps } from './weights/steps.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import type { WeighedBatch, WeighedTransfer } from './weights/weigh-batch.ts';

/** A batch in which the transfers of a bundle count as one. */
export interface BundledBatch extends WeighedBatch {
  /** Of each of its transfers those that it stands for, by the same indices. */
  bundles: readonly (readonly WeighedTransfer[])[];
}

// How much work it is to look at a transfer, for each part that it shares and its own.
const unitsPerPart = 0.03;

/**
 * Bundles the transfers that share what few others need, such as those to one recipient. `undefined` where there is nothing to bundle.
 *
 * Each bundle fits into a transaction, which has once what is shared in it, also as one: a compute limit may be needed for that.
 */
export function* bundleTransfers(batch: WeighedBatch, pace: Pace): Steps<BundledBatch | undefined> {
  const { membersOf, groups } = yield* groupsOf(batch, pace);
  const bundles: (readonly WeighedTransfer[])[] = [];
  const transfers: WeighedTransfer[] = [];
  const keep = (bundle: readonly WeighedTransfer[], one: WeighedTransfer): void => {
    bundles.push(bundle);
    transfers.push({ ...one, index: transfers.length });
  };
  for (const group of groups) {
    const one = bundled(batch, group, membersOf);
    if (one) keep(group, one);
    else for (const transfer of group) keep([transfer], transfer);
    if (pace.isStepOver(group.length * (1 + (group[0]?.shared.length ?? 0)) * unitsPerPart)) yield;
  }
  if (bundles.length === batch.transfers.length) return undefined;
  return { ...batch, transfers, bundles };
}

/**
 * Returns the transactions of a batch whose bundles were divided among these; `undefined` if one did not fit, which is not known to happen.
 *
 * What is in them is weighed as it is: next to others a bundle takes no more than it counted for.
 */
export function* unbundle(
  batch: WeighedBatch,
  { bundles }: BundledBatch,
  loads: readonly TransactionLoad[],
  pace: Pace,
): Steps<readonly TransactionLoad[] | undefined> {
  const unbundled: TransactionLoad[] = [];
  for (const { transfers } of loads) {
    const load = new TransactionLoad(batch);
    for (const { index } of transfers) {
      if (!(bundles[index] ?? []).every((transfer) => load.add(transfer))) return undefined;
    }
    if (pace.isStepOver(load.transfers.length * unitsPerPart)) yield;
    unbundled.push(load);
  }
  return unbundled;
}

// `undefined` for one alone, and for those that do not fit into a transaction.
function bundled(
  batch: WeighedBatch,
  group: readonly WeighedTransfer[],
  membersOf: Members,
): WeighedTransfer | undefined {
  if (group.length === 1) return undefined;
  const load = new TransactionLoad(batch);
  if (!group.every((transfer) => load.add(transfer))) return undefined;
  const one = asOne(batch, group, membersOf);
  return new TransactionLoad(batch).add(one) ? one : undefined;
}
