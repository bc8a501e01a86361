import { type Address, isOffCurveAddress } from '@solana/kit';
import type { Landed } from './cluster.ts';
import { changeOf, type Execution, executionOf, type Move } from './execution.ts';
import type { NodeWorld } from './node-world.ts';
import type { PaymentReading, TransferReading } from './payment-reading.ts';

/**
 * How a landed transaction relates to a wanted one, in whatever form it pays.
 *
 * `same_payments`: it makes all of its payments with their memos and references, and moves nothing else of the source.
 * `similar`: it moved the amount of a payment between its token accounts, and nothing proves it another one.
 * `doubtful`: it may be taken for any of these, or for another payment.
 */
export type Likeness = 'same_message' | 'same_payments' | 'similar' | 'doubtful';

/** Compares what landed, as far as a node shows it, with what was wanted; `undefined` where it is another payment. */
export function likenessOf(
  wanted: PaymentReading,
  { reading, execution, record }: Landed,
  leavesOut: NodeWorld['leavesOut'] = [],
): Likeness | undefined {
  if (wanted.message === reading.message) return 'same_message';
  const shown = leavesOut.includes('calls') ? executionOf(record, false) : execution;
  const hidesSome = leavesOut.length > 0 && mentionsBoth(wanted, record.addresses);
  const likeness = compare(wanted, shown, record);
  if (hidesSome && record.error === null && likeness !== undefined) return 'doubtful';
  return likeness ?? (hidesSome && record.error === null ? 'doubtful' : undefined);
}

function mentionsBoth({ transfers }: PaymentReading, addresses: readonly Address[]): boolean {
  return transfers.some(({ source, destination }) => [source, destination].every((each) => addresses.includes(each)));
}

function compare(wanted: PaymentReading, shown: Execution, record: Landed['record']): Likeness | undefined {
  const hasSucceeded = record.error === null;
  const source = wanted.transfers[0]?.source;
  const moves = shown.moves.filter((each) => each.source === source && each.destination !== source);
  const equal = takeAll(wanted, moves, record);
  const memos = compareMemos(wanted.memos, shown.memos);
  if (memos === 'other') return undefined;
  if (equal?.left === 0 && memos === 'same') return 'same_payments';
  const isBetween = (move: Move): boolean =>
    wanted.transfers.some(({ destination }) => move.destination === destination);
  const between = moves.filter(isBetween);
  if (!hasSucceeded) return undefined;
  if (between.length === 0) {
    // By way of other accounts, if at all.
    const gets = wanted.transfers.some(({ destination }) =>
      shown.moves.some((each) => each.destination === destination),
    );
    return gets && moves.length > 0 ? 'doubtful' : undefined;
  }
  const referring = wanted.transfers.flatMap((transfer) => {
    return between.filter((move) => pays(move, transfer)).map((move) => compareReferences(transfer, move, record));
  });
  if (referring.length === 0) {
    // More was sent, so that the amount arrives after what the mint withholds.
    const arrives = wanted.transfers.some((transfer) => changeOf(record, transfer.destination) === transfer.amount);
    return between.length > 1 || wanted.transfers.length > 1 || arrives ? 'doubtful' : undefined;
  }
  if (referring.every((each) => each === 'other')) return between.length > 1 ? 'doubtful' : undefined;
  // One payment of one, in full, and all of it there: what is missing is a memo, or references.
  const isPlain = wanted.transfers.length === 1 && between.length === 1 && moves.length === 1;
  return isPlain && referring.every((each) => each !== 'other') ? 'similar' : 'doubtful';
}

/** Takes a move for each transfer; `undefined` where one has none. `left`: how many other moves the source has. */
function takeAll(
  { transfers }: PaymentReading,
  moves: readonly Move[],
  record: Landed['record'],
): { left: number } | undefined {
  const left = [...moves];
  for (const transfer of transfers) {
    const index = left.findIndex(
      (each) => pays(each, transfer) && compareReferences(transfer, each, record) === 'same',
    );
    if (index < 0) return undefined;
    left.splice(index, 1);
  }
  return { left: left.length };
}

function pays({ destination, amount, authority, mint }: Move, transfer: TransferReading): boolean {
  return (
    destination === transfer.destination &&
    amount === transfer.amount &&
    authority === transfer.authority &&
    (mint === undefined || mint === transfer.mint)
  );
}

function compareReferences(
  { inOrder }: TransferReading,
  { others, around }: Move,
  { addresses }: Landed['record'],
): 'same' | 'doubtful' | 'other' {
  const extra = without(others, inOrder);
  const gone = without(inOrder, others).filter((each) => !around.includes(each));
  const isMoved = gone.some((reference) => addresses.includes(reference));
  const isReplaced = extra.length > 0 && gone.length > 0 && gone.length === inOrder.length && !isMoved;
  if (isReplaced) return 'other';
  // A reference that was not asked for may be that of another payment.
  const isHanded = around.some((each) => !inOrder.includes(each) && !isOffCurveAddress(each) && !programs.has(each));
  return extra.length > 0 || gone.length > 0 || isHanded ? 'doubtful' : 'same';
}

const programs: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);

function without(all: readonly Address[], taken: readonly Address[]): readonly Address[] {
  const left = [...all];
  for (const each of taken) {
    const index = left.indexOf(each);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}

function compareMemos(wanted: readonly string[], landed: readonly string[]): 'same' | 'doubtful' | 'other' {
  if (wanted.join() === landed.join() && wanted.length === landed.length) return 'same';
  const isForeign = landed.some((each) => !wanted.includes(each));
  const isIncomplete = wanted.some((each) => !landed.includes(each));
  return isForeign && isIncomplete ? 'other' : 'doubtful';
}
