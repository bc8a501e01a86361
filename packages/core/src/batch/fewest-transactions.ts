import type { Address } from '../addresses/address.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from '../addresses/programs.ts';
import { maxComputeUnits } from '../plan/compute-cost.ts';
import { maxAccountCount, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import {
  instructionBytesOf,
  maxInstructionCount,
  type Parcel,
  type TransactionFrame,
  TransactionLoad,
} from './transaction-load.ts';

const addressLength = 32;

// Programs that a transaction names once, however many of its transfers call them or name them as references.
const programsOfCreation = [associatedTokenProgram, systemProgram];
const programsOfMemo = [memoProgram];

// Parts of a transaction are fractions: what rounding could add to their sum must not make a bound one transaction too high.
const tolerance = 1e-6;

/**
 * Returns a number of transactions below which no packing can come, from what the transfers take at least.
 *
 * A transfer takes a part of each limit of a transaction: bytes, accounts, instructions, compute units. The parts of those that
 * share a transaction are 1 at most, so for each limit there are two bounds: what all take together; and how many of the smallest
 * ones go into one. For bytes a third: which large ones cannot share one (the bound L2 of Martello and Toth, "Lower bounds and
 * reduction procedures for the bin packing problem", 1990).
 */
export function fewestTransactions(parcels: readonly Parcel[], frame: TransactionFrame): number {
  const { bytes, others } = partsOf(parcels, frame);
  return Math.max(...[bytes, ...others].map(boundOf), boundOfLargeOnes(bytes));
}

/** Of each transfer the part of a limit that it takes at least. */
type Parts = readonly number[];

function partsOf(parcels: readonly Parcel[], frame: TransactionFrame): { bytes: Parts; others: readonly Parts[] } {
  const needs = leastNeedsOf(parcels, frame);
  const byteCapacity = transactionSizeLimit(frame.version) - new TransactionLoad(frame).byteLength;
  const accountCapacity = maxAccountCount - frame.accounts.length;
  return {
    bytes: needs.map(({ instructionBytes, accountCount, programCount }) => {
      return (instructionBytes + accountCount * addressLength) / (byteCapacity - programCount * addressLength);
    }),
    others: [
      needs.map(({ accountCount, programCount }) => accountCount / (accountCapacity - programCount)),
      needs.map(({ instructionCount }) => instructionCount / maxInstructionCount),
      needs.map(({ computeUnits }) => computeUnits / maxComputeUnits),
    ],
  };
}

/** What a transfer takes at least of a transaction, whichever others are in it. */
interface LeastNeed {
  instructionBytes: number;
  accountCount: number;
  /** Programs whose addresses are in its transaction in addition, which leaves less to all transfers there. */
  programCount: number;
  instructionCount: number;
  computeUnits: number;
}

// Whoever is paid twice, and an account that several transfers name, may be in one transaction: counted once in all.
function leastNeedsOf(parcels: readonly Parcel[], { accounts, version }: TransactionFrame): readonly LeastNeed[] {
  const programs = [...programsOfCreation, ...programsOfMemo, computeBudgetProgram];
  const seen = new Set<Address>([...accounts, ...programs]);
  const countBeyondFrame = (some: readonly Address[]): number => some.filter((each) => !accounts.includes(each)).length;
  const [forCreation, forMemo] = [countBeyondFrame(programsOfCreation), countBeyondFrame(programsOfMemo)];
  const created = new Set<Address>();
  return parcels.map((parcel) => {
    const creates = parcel.createsTokenAccount && !created.has(parcel.recipient);
    if (creates) created.add(parcel.recipient);
    let accountCount = 0;
    const named = [parcel.recipientTokenAccount, ...parcel.furtherAccounts, ...(creates ? [parcel.recipient] : [])];
    for (const address of named) {
      if (seen.has(address)) continue;
      seen.add(address);
      accountCount += 1;
    }
    const hasMemo = parcel.memoByteLength !== undefined;
    return {
      instructionBytes: instructionBytesOf(parcel, creates, version),
      accountCount,
      programCount: (creates ? forCreation : 0) + (hasMemo ? forMemo : 0),
      instructionCount: parcel.instructionCount + (creates ? parcel.createInstructionCount : 0),
      computeUnits: parcel.computeUnits + (creates ? parcel.createComputeUnits : 0),
    };
  });
}

function boundOf(parts: Parts): number {
  const total = parts.reduce((sum, part) => sum + part, 0);
  return Math.max(Math.ceil(total - tolerance), Math.ceil(parts.length / Math.max(1, countOfSmallest(parts))));
}

// How many of the smallest go into one transaction.
function countOfSmallest(parts: Parts): number {
  let room = 1 + tolerance;
  let count = 0;
  for (const part of parts.toSorted((a, b) => a - b)) {
    if (part > room) break;
    room -= part;
    count += 1;
  }
  return count;
}

function boundOfLargeOnes(parts: Parts): number {
  const sorted = parts.toSorted((a, b) => b - a);
  const sums = [0];
  for (const part of sorted) sums.push((sums.at(-1) ?? 0) + part);
  const halves = countAbove(sorted, 1 / 2 + tolerance);
  let bound = halves;
  for (const smallest of new Set(sorted.slice(halves))) {
    // Those above a half share a transaction with none of their kind, and the largest with nothing down to `smallest`.
    const alone = countAbove(sorted, 1 - smallest + tolerance);
    const end = countAbove(sorted, smallest - tolerance);
    const small = (sums[end] ?? 0) - (sums[halves] ?? 0);
    const roomBesideHalves = halves - alone - ((sums[halves] ?? 0) - (sums[alone] ?? 0));
    bound = Math.max(bound, halves + Math.max(0, Math.ceil(small - roomBesideHalves - tolerance)));
  }
  return bound;
}

// How many of the largest are above a bound.
function countAbove(sorted: Parts, bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
