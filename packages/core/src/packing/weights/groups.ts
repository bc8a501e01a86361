import type { Pace, Steps } from './steps.ts';
import type { SharedPart, WeighedBatch, WeighedTransfer } from './weigh-batch.ts';

/** Of each shared part that few transfers need those; `undefined` for the others. */
export type Members = readonly (readonly WeighedTransfer[] | undefined)[];

/** The transfers of a batch by what they share with few others. */
export interface Groups {
  membersOf: Members;
  /** Every transfer once, with all that it shares such a part with, or that one of these does. */
  groups: readonly (readonly WeighedTransfer[])[];
}

// A part that more transfers need, or more of all, is worth its place in several transactions.
const maxMembers = 8;
const maxFraction = 1 / 4;
// How much work it is to look at a transfer, for each part that it shares and its own.
const unitsPerPart = 0.03;

/** Returns the transfers of a batch in groups of those that share what few others need, such as those to one recipient. */
export function* groupsOf(batch: WeighedBatch, pace: Pace): Steps<Groups> {
  const membersOf = yield* membersOfParts(batch, pace);
  const groups: (readonly WeighedTransfer[])[] = [];
  const isTaken = new Uint8Array(batch.transfers.length);
  for (const transfer of batch.transfers) {
    if (isTaken[transfer.index]) continue;
    const group = connectedTo(transfer, membersOf, isTaken);
    if (pace.isStepOver(group.length * (1 + transfer.shared.length) * unitsPerPart)) yield;
    groups.push(group);
  }
  return { membersOf, groups };
}

/** Returns some transfers of a group as one that has what few need: so much do they take of a transaction together. */
export function asOne(
  { shared }: WeighedBatch,
  transfers: readonly WeighedTransfer[],
  membersOf: Members,
  index = 0,
): WeighedTransfer {
  const parts = [...new Set(transfers.flatMap((transfer) => transfer.shared))].sort((a, b) => a - b);
  const memos = transfers.flatMap(({ memoComputeUnits = [] }) => memoComputeUnits);
  const one: WeighedTransfer = {
    bytes: sumOf(transfers, ({ bytes }) => bytes),
    accounts: sumOf(transfers, ({ accounts }) => accounts),
    instructions: sumOf(transfers, ({ instructions }) => instructions),
    computeUnits: sumOf(transfers, ({ computeUnits }) => computeUnits),
    index,
    creates: sumOf(transfers, ({ creates }) => creates),
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

/** Returns a transfer with its share of what few need, as if that were divided among all of these. */
export function withShares({ shared }: WeighedBatch, transfer: WeighedTransfer, membersOf: Members): WeighedTransfer {
  const divided = { ...transfer, shared: transfer.shared.filter((part) => !membersOf[part]) };
  for (const part of transfer.shared) {
    const members = membersOf[part];
    if (members) add(divided, shared[part], members.length, members.indexOf(transfer));
  }
  return divided;
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
