import type { Address } from '../addresses/address.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from '../addresses/programs.ts';
import { compactU16Length } from '../bytes/byte-writer.ts';
import type { TransactionVersion } from '../transaction/transaction-version.ts';
import type { Parcel, TransactionFrame } from './parcel.ts';
import type { Pace, Steps } from './steps.ts';

/** What something takes of each limit of a transaction. */
export interface Weight {
  /** Of instructions, and of the addresses of accounts. */
  bytes: number;
  accounts: number;
  /** Those included that programs call. */
  instructions: number;
  computeUnits: number;
}

/** A limit of a transaction. */
export type Limit = keyof Weight;

/** What several transfers of a batch need, and a transaction has once: an account, or the creation of a token account. */
export interface SharedPart extends Weight {
  isCreate: boolean;
  /** Whether it is the program of compute limits, whose address a limit needs too. */
  isLimitProgram: boolean;
}

/** What a transfer takes of a transaction by itself, and what it shares with others. */
export interface WeighedTransfer extends Weight {
  /** Its index in the batch. */
  index: number;
  /** How many token accounts it creates that no other transfer does. */
  creates: number;
  /** Of its memo; `undefined` without one. */
  memoComputeUnits: number | undefined;
  /** Indices of the shared parts that it needs. */
  shared: readonly number[];
}

/** A batch as packing sees it: numbers, in which each address has been looked at once. */
export interface WeighedBatch {
  frame: TransactionFrame;
  transfers: readonly WeighedTransfer[];
  shared: readonly SharedPart[];
}

/** Bytes of an address. */
export const addressLength = 32;

const createAccountCount = 6;
const transferAccountCount = 4;
const transferDataLength = 10;
// The mark of the creation of a token account among addresses; no address has it.
const createMark = '+';

// Of what a transfer needs: how much work it is to look at one.
const unitsPerNeed = 0.1;

/** Weighs the transfers of a batch: what only one of them needs is its own, what several need is shared. */
export function* weighBatch(parcels: readonly Parcel[], frame: TransactionFrame, pace: Pace): Steps<WeighedBatch> {
  const needs: ReadonlySet<string>[] = [];
  const isShared = new Map<string, boolean>([[computeBudgetProgram, true]]);
  for (const parcel of parcels) {
    const some = needsOf(parcel, frame.accounts);
    needs.push(some);
    for (const need of some) isShared.set(need, isShared.has(need));
    if (pace.isStepOver(some.size * unitsPerNeed)) yield;
  }
  const shared: SharedPart[] = [];
  const indices = new Map<string, number>();
  const transfers: WeighedTransfer[] = [];
  for (const [index, parcel] of parcels.entries()) {
    const some = needs[index] ?? noNeeds;
    const own = ownWeightOf(parcel, frame.version);
    const parts: number[] = [];
    let creates = 0;
    for (const need of some) {
      const isCreate = need.startsWith(createMark);
      if (isShared.get(need)) {
        let at = indices.get(need);
        if (at === undefined) {
          at = shared.length;
          indices.set(need, at);
          const part = isCreate ? createWeightOf(parcel, frame.version) : weightOfAccount;
          shared.push({ ...part, isCreate, isLimitProgram: need === computeBudgetProgram });
        }
        parts.push(at);
      } else if (isCreate) {
        addTo(own, createWeightOf(parcel, frame.version));
        creates = 1;
      } else {
        own.bytes += addressLength;
        own.accounts += 1;
      }
    }
    const memoComputeUnits = parcel.memoByteLength === undefined ? undefined : parcel.memoComputeUnits;
    transfers.push({ ...own, index, creates, memoComputeUnits, shared: parts });
    if (pace.isStepOver(some.size * unitsPerNeed)) yield;
  }
  return { frame, transfers, shared };
}

const noNeeds: ReadonlySet<string> = new Set();
const weightOfAccount: Weight = { bytes: addressLength, accounts: 1, instructions: 0, computeUnits: 0 };

// What a transaction needs for a transfer and may have already: accounts, and that a token account is created.
function needsOf(parcel: Parcel, frameAccounts: readonly Address[]): ReadonlySet<string> {
  const needs = new Set<string>([parcel.recipientTokenAccount]);
  for (const address of parcel.furtherAccounts) needs.add(address);
  if (parcel.memoByteLength !== undefined) needs.add(memoProgram);
  if (parcel.createsTokenAccount) {
    needs.add(parcel.recipient).add(associatedTokenProgram).add(systemProgram);
    needs.add(createMark + parcel.recipient);
  }
  for (const address of frameAccounts) needs.delete(address);
  return needs;
}

function ownWeightOf(parcel: Parcel, version: TransactionVersion): Weight {
  const accountCount = transferAccountCount + parcel.furtherAccounts.length;
  let bytes = bytesOfInstruction(accountCount, transferDataLength, version);
  if (parcel.memoByteLength !== undefined) bytes += bytesOfInstruction(1, parcel.memoByteLength, version);
  return { bytes, accounts: 0, instructions: parcel.instructionCount, computeUnits: parcel.computeUnits };
}

function createWeightOf(parcel: Parcel, version: TransactionVersion): Weight {
  return {
    bytes: bytesOfInstruction(createAccountCount, 1, version),
    accounts: 0,
    instructions: parcel.createInstructionCount,
    computeUnits: parcel.createComputeUnits,
  };
}

function addTo(weight: Weight, other: Weight): void {
  weight.bytes += other.bytes;
  weight.accounts += other.accounts;
  weight.instructions += other.instructions;
  weight.computeUnits += other.computeUnits;
}

/** The bytes of an instruction, without those of its accounts' addresses. */
export function bytesOfInstruction(accountCount: number, dataLength: number, version: TransactionVersion): number {
  const lengths = version === 1 ? 4 : 1 + compactU16Length(accountCount) + compactU16Length(dataLength);
  return lengths + accountCount + dataLength;
}
