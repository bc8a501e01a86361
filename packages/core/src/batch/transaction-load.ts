import type { Address } from '../addresses/address.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from '../addresses/programs.ts';
import { compactU16Length } from '../bytes/byte-writer.ts';
import { type InstructionCounts, maxComputeUnits, sharedComputeUnits } from '../plan/compute-cost.ts';
import { computeLimitOfMemos } from '../plan/compute-limit.ts';
import { maxAccountCount, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import type { TransactionVersion } from '../transaction/transaction-version.ts';

/** What a transfer of a batch takes of the transaction that makes it. */
export interface Parcel {
  recipient: Address;
  recipientTokenAccount: Address;
  /** Unless an earlier transfer of the same transaction does. */
  createsTokenAccount: boolean;
  /** The further accounts of its transfer: references, and those of a hook. */
  furtherAccounts: readonly Address[];
  /** Bytes of UTF-8; `undefined` without a memo. */
  memoByteLength: number | undefined;
  /** Of the transfer and its memo. */
  computeUnits: number;
  memoComputeUnits: number;
  createComputeUnits: number;
  /** Instructions that the transfer runs, those included that programs call. */
  instructionCount: number;
  createInstructionCount: number;
}

/** What every transaction of a batch has, whatever it pays. */
export interface TransactionFrame {
  version: TransactionVersion;
  /** Fee payer, sender, mint, token program, the sender's token account, and those of a nonce. */
  accounts: readonly Address[];
  signatureCount: number;
  paysPriorityFee: boolean;
  hasNonce: boolean;
  isHooked: boolean;
  /** Whether there is room for a compute limit in every transaction, by which those that pay the same differ. */
  hasRoomForLimit: boolean;
}

/** The most instructions that one transaction may run, those included that programs call (`MAX_INSTRUCTION_TRACE_LENGTH`). */
export const maxInstructionCount = 64;

// Of instructions that are there once: index of the program, two lengths, accounts and data.
const limitInstructionBytes = 1 + 1 + 1 + 5;
const priceInstructionBytes = 1 + 1 + 1 + 9;
// A compute limit and a price, which wallets insert where they are absent; version 1 has them in its header.
const budgetInstructionCount = 2;
const createAccountCount = 6;
const transferAccountCount = 4;
const transferDataLength = 10;
const addressLength = 32;

/** The part of a transaction that is taken, while transfers of a batch are put into it. */
export class TransactionLoad {
  readonly #frame: TransactionFrame;
  /** The indices of its transfers in the batch. */
  readonly transfers: number[] = [];
  readonly #accounts: Set<Address>;
  readonly #created = new Set<Address>();
  readonly #counts: InstructionCounts = { transfers: 0, creates: 0, memos: 0 };
  #instructionBytes = 0;
  #instructionCount: number;
  #computeUnits = sharedComputeUnits;
  #memoComputeUnits = 0;

  constructor(frame: TransactionFrame) {
    this.#frame = frame;
    this.#accounts = new Set(frame.accounts);
    this.#instructionCount = (frame.hasNonce ? 1 : 0) + (frame.version === 1 ? 0 : budgetInstructionCount);
  }

  /** Bytes of the transaction that makes these transfers. */
  get byteLength(): number {
    const limitBytes = this.#limitBytes(this.#memoComputeUnits, this.#counts);
    const limitAccounts = limitBytes > 0 && !this.#accounts.has(computeBudgetProgram) ? 1 : 0;
    return this.#bytesOf(this.#instructionBytes + limitBytes, this.#accounts.size + limitAccounts);
  }

  /** Bytes that are left. */
  get byteRoom(): number {
    return transactionSizeLimit(this.#frame.version) - this.byteLength;
  }

  /** Puts a transfer in, and returns whether there was room. */
  add(index: number, parcel: Parcel): boolean {
    const { version } = this.#frame;
    const creates = parcel.createsTokenAccount && !this.#created.has(parcel.recipient);
    const hasMemo = parcel.memoByteLength !== undefined;
    const counts = {
      transfers: this.#counts.transfers + 1,
      creates: this.#counts.creates + (creates ? 1 : 0),
      memos: this.#counts.memos + (hasMemo ? 1 : 0),
    };
    const memoComputeUnits = this.#memoComputeUnits + parcel.memoComputeUnits;
    const computeUnits = this.#computeUnits + parcel.computeUnits + (creates ? parcel.createComputeUnits : 0);
    const instructionCount =
      this.#instructionCount + parcel.instructionCount + (creates ? parcel.createInstructionCount : 0);
    const instructionBytes = this.#instructionBytes + instructionBytesOf(parcel, creates, version);
    const added = this.#addedAccounts(parcel, creates);
    const isAlone = this.transfers.length === 0;
    const limitBytes =
      isAlone && this.#isLimitOptional(memoComputeUnits, counts) ? 0 : this.#limitBytes(memoComputeUnits, counts);
    const namesLimitProgram = this.#accounts.has(computeBudgetProgram) || added.includes(computeBudgetProgram);
    const limitAccounts = limitBytes > 0 && !namesLimitProgram ? 1 : 0;
    const accountCount = this.#accounts.size + added.length + limitAccounts;
    if (
      accountCount > maxAccountCount ||
      instructionCount > maxInstructionCount ||
      computeUnits > maxComputeUnits ||
      this.#bytesOf(instructionBytes + limitBytes, accountCount) > transactionSizeLimit(version)
    ) {
      return false;
    }
    this.transfers.push(index);
    for (const address of added) this.#accounts.add(address);
    if (creates) this.#created.add(parcel.recipient);
    Object.assign(this.#counts, counts);
    this.#memoComputeUnits = memoComputeUnits;
    this.#computeUnits = computeUnits;
    this.#instructionCount = instructionCount;
    this.#instructionBytes = instructionBytes;
    return true;
  }

  #addedAccounts(parcel: Parcel, creates: boolean): Address[] {
    const added: Address[] = [];
    const add = (address: Address): void => {
      if (!this.#accounts.has(address) && !added.includes(address)) added.push(address);
    };
    add(parcel.recipientTokenAccount);
    for (const address of parcel.furtherAccounts) add(address);
    if (creates) for (const address of [parcel.recipient, associatedTokenProgram, systemProgram]) add(address);
    if (parcel.memoByteLength !== undefined) add(memoProgram);
    return added;
  }

  // Of a compute limit and a price. In version 1 they have their place in the header.
  #limitBytes(memoComputeUnits: number, counts: InstructionCounts): number {
    const { version, paysPriorityFee, isHooked, hasRoomForLimit } = this.#frame;
    if (version === 1) return 0;
    if (paysPriorityFee) return limitInstructionBytes + priceInstructionBytes;
    const isNeeded =
      hasRoomForLimit ||
      (counts.memos > 0 && (isHooked || computeLimitOfMemos(memoComputeUnits, counts) !== undefined));
    return isNeeded ? limitInstructionBytes : 0;
  }

  // Next to a hook a memo gets a limit where there is room for one.
  #isLimitOptional(memoComputeUnits: number, counts: InstructionCounts): boolean {
    const { paysPriorityFee, isHooked, hasRoomForLimit } = this.#frame;
    return (
      isHooked && !paysPriorityFee && !hasRoomForLimit && computeLimitOfMemos(memoComputeUnits, counts) === undefined
    );
  }

  #bytesOf(instructionBytes: number, accountCount: number): number {
    const { version, signatureCount, hasNonce, paysPriorityFee } = this.#frame;
    const shared = signatureCount * 64 + 3 + accountCount * addressLength + 32;
    const nonce = hasNonce ? bytesOfInstruction(3, 4, version) : 0;
    if (version === 1) return shared + 1 + 4 + 2 + 8 + (paysPriorityFee ? 8 : 0) + nonce + instructionBytes;
    // Fewer than 128 signatures, accounts and instructions take one byte each to count.
    return shared + 3 + (version === 0 ? 2 : 0) + nonce + instructionBytes;
  }
}

/** The bytes of the instructions of a transfer, without those of its accounts' addresses. */
export function instructionBytesOf(parcel: Parcel, creates: boolean, version: TransactionVersion): number {
  let bytes = bytesOfInstruction(transferAccountCount + parcel.furtherAccounts.length, transferDataLength, version);
  if (creates) bytes += bytesOfInstruction(createAccountCount, 1, version);
  if (parcel.memoByteLength !== undefined) bytes += bytesOfInstruction(1, parcel.memoByteLength, version);
  return bytes;
}

function bytesOfInstruction(accountCount: number, dataLength: number, version: TransactionVersion): number {
  const lengths = version === 1 ? 4 : 1 + compactU16Length(accountCount) + compactU16Length(dataLength);
  return lengths + accountCount + dataLength;
}
