import { compactU16Length } from '../../bytes/byte-writer.ts';
import type { TransactionVersion } from '../../transaction/encode-transaction.ts';
import { Needs } from './needs.ts';
import type { Parcel, TransactionFrame } from './parcel.ts';

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

/** Every limit. */
export const limits: readonly Limit[] = ['bytes', 'accounts', 'instructions', 'computeUnits'];

/** Nothing of any limit. */
export const nothing: Readonly<Weight> = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };

/** Returns a weight of what `of` says of each limit. */
export function ofEachLimit(ofLimit: (limit: Limit) => number): Weight {
  return {
    bytes: ofLimit('bytes'),
    accounts: ofLimit('accounts'),
    instructions: ofLimit('instructions'),
    computeUnits: ofLimit('computeUnits'),
  };
}

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

/** Weighs the transfers of a batch: what only one of them needs is its own, what several need is shared. */
export function weighBatch(parcels: readonly Parcel[], frame: TransactionFrame): WeighedBatch {
  const needs = new Needs(frame.accounts, parcels);
  for (const parcel of parcels) needs.addParcel(parcel);
  const shared: SharedPart[] = [];
  // Of each need its index among the shared parts; -1 where it is not there.
  const indices = new Int32Array(needs.count).fill(-1);
  const transfers: WeighedTransfer[] = [];
  // Those of the transfer that is weighed, from the start of the list on.
  const parts: number[] = [];
  let partsBefore: readonly number[] = [];
  for (const [index, parcel] of parcels.entries()) {
    const own = {
      bytes: ownBytesOf(parcel, frame.version),
      accounts: 0,
      instructions: parcel.instructionCount,
      computeUnits: parcel.computeUnits,
      index,
      creates: 0,
      memoComputeUnits: parcel.memoByteLength === undefined ? undefined : parcel.memoComputeUnits,
      shared: partsBefore,
    };
    let partCount = 0;
    const end = needs.endOf(index);
    for (let at = needs.startOf(index); at < end; at++) {
      const need = needs.at(at);
      if (needs.isShared(need)) {
        if (indices[need] === -1) {
          indices[need] = shared.length;
          shared.push(sharedPartOf(need, needs, parcel, frame.version));
        }
        parts[partCount++] = indices[need] ?? 0;
      } else if (needs.isCreate(need)) {
        own.bytes += bytesOfCreate(frame.version);
        own.instructions += parcel.createInstructionCount;
        own.computeUnits += parcel.createComputeUnits;
        own.creates = 1;
      } else {
        own.bytes += addressLength;
        own.accounts += 1;
      }
    }
    // Most transfers of a batch share the same: one list does for all of them.
    if (partCount !== partsBefore.length || !areFirst(parts, partsBefore)) partsBefore = parts.slice(0, partCount);
    own.shared = partsBefore;
    transfers.push(own);
  }
  return { frame, transfers, shared };
}

const weightOfAccount: Weight = { bytes: addressLength, accounts: 1, instructions: 0, computeUnits: 0 };

function sharedPartOf(need: number, needs: Needs, parcel: Parcel, version: TransactionVersion): SharedPart {
  const isCreate = needs.isCreate(need);
  const weight = isCreate ? weightOfCreate(parcel, version) : weightOfAccount;
  return { ...weight, isCreate, isLimitProgram: needs.isLimitProgram(need) };
}

function areFirst(some: readonly number[], others: readonly number[]): boolean {
  for (let index = 0; index < others.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

function ownBytesOf(parcel: Parcel, version: TransactionVersion): number {
  const accountCount = transferAccountCount + parcel.furtherAccounts.length;
  const bytes = bytesOfInstruction(accountCount, transferDataLength, version);
  return parcel.memoByteLength === undefined ? bytes : bytes + bytesOfInstruction(1, parcel.memoByteLength, version);
}

function bytesOfCreate(version: TransactionVersion): number {
  return bytesOfInstruction(createAccountCount, 1, version);
}

function weightOfCreate({ createInstructionCount, createComputeUnits }: Parcel, version: TransactionVersion): Weight {
  return {
    bytes: bytesOfCreate(version),
    accounts: 0,
    instructions: createInstructionCount,
    computeUnits: createComputeUnits,
  };
}

/** The bytes of an instruction, without those of its accounts' addresses. */
export function bytesOfInstruction(accountCount: number, dataLength: number, version: TransactionVersion): number {
  const lengths = version === 1 ? 4 : 1 + compactU16Length(accountCount) + compactU16Length(dataLength);
  return lengths + accountCount + dataLength;
}

/** Transfers that weigh the same and share the same, so that any of them stands for all. */
export interface Kind {
  /** In their order. */
  transfers: readonly WeighedTransfer[];
  /** The first of them. */
  one: WeighedTransfer;
  /** The shared parts that it needs, without those that all transfers of the batch need. */
  parts: readonly number[];
  /** What one takes of a transaction that has nothing but what all transfers need. */
  alone: Weight;
}

/** Returns the transfers of a batch by kinds, the kind first that takes most of the scarcest limit. */
export function kindsOf(batch: WeighedBatch, scarcest: Limit): readonly Kind[] {
  const isNeededByAll = partsOfAll(batch);
  const transfersOf = new Map<string, WeighedTransfer[]>();
  for (const transfer of batch.transfers) {
    const { bytes, accounts, instructions, computeUnits, creates, memoComputeUnits, shared } = transfer;
    const key = `${bytes},${accounts},${instructions},${computeUnits},${creates},${memoComputeUnits},${shared}`;
    const transfers = transfersOf.get(key);
    if (transfers) transfers.push(transfer);
    else transfersOf.set(key, [transfer]);
  }
  const kinds: Kind[] = [];
  for (const transfers of transfersOf.values()) {
    const [one] = transfers;
    if (!one) continue;
    const parts = one.shared.filter((part) => !isNeededByAll[part]);
    const weightOf = (limit: Limit): number =>
      parts.reduce((sum, part) => sum + (batch.shared[part]?.[limit] ?? 0), one[limit]);
    kinds.push({ transfers, one, parts, alone: ofEachLimit(weightOf) });
  }
  return kinds.sort((a, b) => b.alone[scarcest] - a.alone[scarcest]);
}

function partsOfAll({ transfers, shared }: WeighedBatch): readonly boolean[] {
  const counts = new Uint16Array(shared.length);
  for (const transfer of transfers) for (const part of transfer.shared) counts[part] = (counts[part] ?? 0) + 1;
  return shared.map((_, part) => counts[part] === transfers.length);
}
