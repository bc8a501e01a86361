import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { SharedPart, WeighedBatch, WeighedTransfer } from './weigh-batch.ts';

/** A batch in which the transfers of a bundle count as one. */
export interface BundledBatch extends WeighedBatch {
  /** Of each of its transfers those that it stands for, by the same indices. */
  bundles: readonly (readonly WeighedTransfer[])[];
}

// A part that more transfers need, or more of all, is worth its place in several transactions.
const maxMembers = 8;
const maxFraction = 1 / 4;
// How much work it is to look at a transfer, for each part that it shares and its own.
const unitsPerPart = 0.03;

/** Of each shared part that few transfers need those; `undefined` for the others. */
type Members = readonly (readonly WeighedTransfer[] | undefined)[];

/**
 * Bundles the transfers that share what few others need, such as those to one recipient. `undefined` where there is nothing to bundle.
 *
 * Each bundle fits into a transaction, which has once what is shared in it, also as one: a compute limit may be needed for that.
 */
export function* bundleTransfers(batch: WeighedBatch, pace: Pace): Steps<BundledBatch | undefined> {
  const membersOf = yield* membersOfParts(batch, pace);
  if (!membersOf.some((members) => members)) return undefined;
  const bundles: (readonly WeighedTransfer[])[] = [];
  const transfers: WeighedTransfer[] = [];
  const keep = (bundle: readonly WeighedTransfer[]): boolean => {
    const one = asOne(batch, bundle, membersOf, bundles.length);
    if (bundle.length > 1 && !new TransactionLoad(batch).add(one)) return false;
    bundles.push(bundle);
    transfers.push(one);
    return true;
  };
  const isTaken = new Uint8Array(batch.transfers.length);
  for (const transfer of batch.transfers) {
    if (isTaken[transfer.index]) continue;
    const bundle = connectedTo(transfer, membersOf, isTaken);
    if (pace.isStepOver(bundle.length * (1 + transfer.shared.length) * unitsPerPart)) yield;
    if (!fitsTogether(batch, bundle) || !keep(bundle)) for (const each of bundle) keep([each]);
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

/**
 * Returns a batch as if each part that few transfers need were divided among them.
 *
 * What fits into a transaction fits by these weights, too: some of those that need a part take no more than all of them, which is the
 * part. So no packing has fewer transactions than one by them.
 */
export function* divideParts(batch: WeighedBatch, pace: Pace): Steps<WeighedBatch> {
  const membersOf = yield* membersOfParts(batch, pace);
  const transfers = batch.transfers.map((transfer) => {
    const divided = { ...transfer, shared: transfer.shared.filter((part) => !membersOf[part]) };
    for (const part of transfer.shared) {
      const members = membersOf[part];
      if (members) add(divided, batch.shared[part], members.length, members.indexOf(transfer));
    }
    return divided;
  });
  return { ...batch, transfers };
}

function* membersOfParts({ transfers, shared }: WeighedBatch, pace: Pace): Steps<Members> {
  const most = Math.min(maxMembers, transfers.length * maxFraction);
  const members: (WeighedTransfer[] | undefined)[] = shared.map(({ isLimitProgram }) =>
    isLimitProgram ? undefined : [],
  );
  for (const transfer of transfers) {
    for (const part of transfer.shared) {
      const some = members[part];
      some?.push(transfer);
      if (some && some.length > most) members[part] = undefined;
    }
    if (pace.isStepOver((1 + transfer.shared.length) * unitsPerPart)) yield;
  }
  return members;
}

// Those that share a part with it, or with one of these.
function connectedTo(first: WeighedTransfer, membersOf: Members, isTaken: Uint8Array): WeighedTransfer[] {
  const connected = [first];
  isTaken[first.index] = 1;
  for (const { shared } of connected) {
    for (const part of shared) {
      for (const other of membersOf[part] ?? []) {
        if (isTaken[other.index]) continue;
        isTaken[other.index] = 1;
        connected.push(other);
      }
    }
  }
  return connected;
}

function fitsTogether(batch: WeighedBatch, bundle: readonly WeighedTransfer[]): boolean {
  if (bundle.length === 1) return true;
  const load = new TransactionLoad(batch);
  return bundle.every((transfer) => load.add(transfer));
}

function asOne(
  { shared }: WeighedBatch,
  bundle: readonly WeighedTransfer[],
  membersOf: Members,
  index: number,
): WeighedTransfer {
  const [first] = bundle;
  if (first && bundle.length === 1) return { ...first, index };
  const parts = [...new Set(bundle.flatMap((transfer) => transfer.shared))].sort((a, b) => a - b);
  const memos = bundle.flatMap(({ memoComputeUnits = [] }) => memoComputeUnits);
  const one: WeighedTransfer = {
    bytes: sumOf(bundle, ({ bytes }) => bytes),
    accounts: sumOf(bundle, ({ accounts }) => accounts),
    instructions: sumOf(bundle, ({ instructions }) => instructions),
    computeUnits: sumOf(bundle, ({ computeUnits }) => computeUnits),
    index,
    creates: sumOf(bundle, ({ creates }) => creates),
    memoComputeUnits: memos.length > 0 ? sumOf(memos, (units) => units) : undefined,
    shared: parts.filter((part) => !membersOf[part]),
  };
  for (const part of parts) {
    if (!membersOf[part]) continue;
    add(one, shared[part], 1, 0);
    if (shared[part]?.isCreate) one.creates += 1;
  }
  return one;
}

function sumOf<Each>(all: readonly Each[], numberOf: (each: Each) => number): number {
  return all.reduce((sum, each) => sum + numberOf(each), 0);
}

// The whole numbers of all members sum up to those of the part.
function add(transfer: WeighedTransfer, part: SharedPart | undefined, memberCount: number, member: number): void {
  if (!part) return;
  const shareOf = (whole: number): number => Math.floor((whole + member) / memberCount);
  transfer.bytes += shareOf(part.bytes);
  transfer.accounts += shareOf(part.accounts);
  transfer.instructions += shareOf(part.instructions);
  transfer.computeUnits += shareOf(part.computeUnits);
}
