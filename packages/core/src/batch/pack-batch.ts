import { fewestTransactions } from './fewest-transactions.ts';
import { packTightly, type SizedParcel } from './pack-tightly.ts';
import { instructionBytesOf, type Parcel, type TransactionFrame, TransactionLoad } from './transaction-load.ts';

/** How the transfers of a batch are divided among transactions. */
export interface Packing {
  /** Of each transaction the indices of its transfers, in their order; the transactions in the order of their first transfer. */
  transactions: readonly (readonly number[])[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

/**
 * Divides transfers among as few transactions as possible, in their order as far as that costs no transaction.
 *
 * `tooLarge`: the indices of those that do not fit into a transaction by themselves.
 */
export function packBatch(
  parcels: readonly Parcel[],
  frame: TransactionFrame,
): Packing | { tooLarge: readonly number[] } {
  const inOrder = parcels.map((parcel, index) => ({ parcel, index, byteLength: sizeOf(parcel, frame) }));
  const lowerBound = fewestTransactions(parcels, frame);
  const tooLarge: number[] = [];
  let best = packNext(inOrder, frame, tooLarge);
  if (tooLarge.length > 0) return { tooLarge };
  for (const pack of [packFirst, packDecreasing, packByKind, packTightly, packKindsTightly]) {
    if (best.length <= lowerBound) break;
    const loads = pack(inOrder, frame);
    if (loads.length < best.length) best = loads;
  }
  return { transactions: inTheirOrder(best), lowerBound };
}

// Keeps the order: a transfer goes into the last transaction, or opens the next one. What fits into none goes to `tooLarge`.
function packNext(
  transfers: readonly SizedParcel[],
  frame: TransactionFrame,
  tooLarge: number[],
): readonly TransactionLoad[] {
  const loads: TransactionLoad[] = [];
  for (const { index, parcel } of transfers) {
    if (loads.at(-1)?.add(index, parcel)) continue;
    const load = new TransactionLoad(frame);
    if (load.add(index, parcel)) loads.push(load);
    else tooLarge.push(index);
  }
  return loads;
}

// A transfer goes into the first transaction that has room.
function packFirst(transfers: readonly SizedParcel[], frame: TransactionFrame): TransactionLoad[] {
  const loads: TransactionLoad[] = [];
  for (const { index, parcel } of transfers) {
    if (loads.some((load) => load.add(index, parcel))) continue;
    loads.push(loadedWith(index, parcel, frame));
  }
  return loads;
}

// The large ones first, so that the small ones fill what these leave.
function packDecreasing(transfers: readonly SizedParcel[], frame: TransactionFrame): TransactionLoad[] {
  return packFirst(
    transfers.toSorted((a, b) => b.byteLength - a.byteLength),
    frame,
  );
}

// Those together that call the same programs, whose addresses a transaction then has for good use.
function packByKind(transfers: readonly SizedParcel[], frame: TransactionFrame): TransactionLoad[] {
  return packFirst(
    transfers.toSorted((a, b) => kindOf(b.parcel) - kindOf(a.parcel) || b.byteLength - a.byteLength),
    frame,
  );
}

function packKindsTightly(transfers: readonly SizedParcel[], frame: TransactionFrame): TransactionLoad[] {
  const kinds = Map.groupBy(transfers, ({ parcel }) => kindOf(parcel));
  return [...kinds.values()].flatMap((some) => packTightly(some, frame));
}

function kindOf({ createsTokenAccount, memoByteLength }: Parcel): number {
  return (createsTokenAccount ? 2 : 0) + (memoByteLength === undefined ? 0 : 1);
}

function loadedWith(index: number, parcel: Parcel, frame: TransactionFrame): TransactionLoad {
  const load = new TransactionLoad(frame);
  load.add(index, parcel);
  return load;
}

// Without the programs that it may share with others.
function sizeOf(parcel: Parcel, { version }: TransactionFrame): number {
  const { createsTokenAccount, furtherAccounts } = parcel;
  const accountCount = 1 + furtherAccounts.length + (createsTokenAccount ? 1 : 0);
  return instructionBytesOf(parcel, createsTokenAccount, version) + accountCount * 32;
}

function inTheirOrder(loads: readonly TransactionLoad[]): readonly (readonly number[])[] {
  const transactions = loads.map(({ transfers }) => transfers.toSorted((a, b) => a - b));
  return transactions.sort(([a = 0], [b = 0]) => a - b);
}
