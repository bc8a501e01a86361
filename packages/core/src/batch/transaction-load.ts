import { addressLength } from '../addresses/address-bytes.ts';
import { computeBudgetProgram } from '../addresses/programs.ts';
import {
  computeLimitOfMemos,
  type InstructionCounts,
  maxComputeUnits,
  sharedComputeUnits,
} from '../plan/compute-budget.ts';
import { maxAccountCount, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import {
  bytesOfInstruction,
  type TransactionFrame,
  type WeighedBatch,
  type WeighedTransfer,
  type Weight,
} from './weigh-batch.ts';

/** The most instructions that one transaction may run, those included that programs call (`MAX_INSTRUCTION_TRACE_LENGTH`). */
const maxInstructionCount = 64;

// Of instructions that are there once: index of the program, two lengths, accounts and data; without the address of the program.
const limitInstructionBytes = 1 + 1 + 1 + 5;
const priceInstructionBytes = 1 + 1 + 1 + 9;
// A compute limit and a price, which wallets insert where they are absent; version 1 has them in its header.
const budgetInstructionCount = 2;

/** What a transaction takes before it makes a transfer. */
export function weightOfFrame(frame: TransactionFrame): Weight {
  const { version, signatureCount, hasNonce, paysPriorityFee, accounts, sponsorFee: fee } = frame;
  const shared = signatureCount * 64 + 3 + accounts.length * addressLength + 32;
  const nonce = hasNonce ? bytesOfInstruction(3, 4, version) : 0;
  // Fewer than 128 signatures, accounts and instructions take one byte each to count.
  const header = version === 1 ? 1 + 4 + 2 + 8 + (paysPriorityFee ? 8 : 0) : 3 + (version === 0 ? 2 : 0);
  return {
    bytes: shared + header + nonce + (fee?.bytes ?? 0),
    accounts: accounts.length,
    instructions: (hasNonce ? 1 : 0) + (version === 1 ? 0 : budgetInstructionCount) + (fee?.instructions ?? 0),
    computeUnits: sharedComputeUnits + (fee?.computeUnits ?? 0),
  };
}

/** The bytes of a compute limit and a price that every transaction has, without their program. In version 1 they have their place in the header. */
export function budgetBytesOf({ version, paysPriorityFee, hasRoomForLimit }: TransactionFrame): number {
  if (version === 1) return 0;
  if (paysPriorityFee) return limitInstructionBytes + priceInstructionBytes;
  return hasRoomForLimit ? limitInstructionBytes : 0;
}

/** The most that a transaction may take of each limit. */
export function limitsOf({ version }: TransactionFrame): Weight {
  return {
    bytes: transactionSizeLimit(version),
    accounts: maxAccountCount,
    instructions: maxInstructionCount,
    computeUnits: maxComputeUnits,
  };
}

/** The part of a transaction that is taken, while transfers of a batch are put into it. */
export class TransactionLoad {
  readonly #batch: WeighedBatch;
  readonly #limits: Weight;
  readonly #budgetBytes: number;
  /** What is in it. */
  readonly transfers: WeighedTransfer[] = [];
  // How many of its transfers need each shared part.
  readonly #needed: Uint16Array;
  readonly #taken: Weight;
  readonly #counts: InstructionCounts;
  #memoComputeUnits = 0;
  #namesLimitProgram: boolean;

  constructor(batch: WeighedBatch) {
    this.#batch = batch;
    this.#counts = { transfers: batch.frame.sponsorFee ? 1 : 0, creates: 0, memos: 0 };
    this.#limits = limitsOf(batch.frame);
    this.#budgetBytes = budgetBytesOf(batch.frame);
    this.#needed = new Uint16Array(batch.shared.length);
    this.#taken = weightOfFrame(batch.frame);
    this.#namesLimitProgram = batch.frame.accounts.includes(computeBudgetProgram);
  }

  /** Bytes of the transaction that makes these transfers. */
  get byteLength(): number {
    const limitBytes = this.#limitBytes();
    return this.#taken.bytes + limitBytes + this.#limitAccounts(limitBytes) * addressLength;
  }

  /** Puts a transfer in, and returns whether there was room. */
  add(transfer: WeighedTransfer): boolean {
    if (!this.#hasRoomWithoutShared(transfer)) return false;
    this.#put(transfer);
    if (this.#isWithinLimits()) return true;
    this.remove(transfer);
    return false;
  }

  // Spares most of the work for the many transactions that are full.
  #hasRoomWithoutShared({ bytes, accounts, instructions, computeUnits }: Weight): boolean {
    const [taken, max] = [this.#taken, this.#limits];
    return (
      taken.bytes + bytes <= max.bytes &&
      taken.accounts + accounts <= max.accounts &&
      taken.instructions + instructions <= max.instructions &&
      taken.computeUnits + computeUnits <= max.computeUnits
    );
  }

  /** Takes a transfer out that was put in. */
  remove(transfer: WeighedTransfer): void {
    const at = this.transfers.lastIndexOf(transfer);
    this.transfers.splice(at, 1);
    this.#change(transfer, -1);
    for (const part of transfer.shared) {
      const needed = (this.#needed[part] ?? 0) - 1;
      this.#needed[part] = needed;
      if (needed === 0) this.#changeShared(part, -1);
    }
  }

  #put(transfer: WeighedTransfer): void {
    this.transfers.push(transfer);
    this.#change(transfer, 1);
    for (const part of transfer.shared) {
      const needed = this.#needed[part] ?? 0;
      this.#needed[part] = needed + 1;
      if (needed === 0) this.#changeShared(part, 1);
    }
  }

  #change(transfer: WeighedTransfer, sign: 1 | -1): void {
    if (!this.#batch.frame.paysSol) this.#counts.transfers += sign;
    this.#counts.creates += sign * transfer.creates;
    if (transfer.memoComputeUnits !== undefined) {
      this.#counts.memos += sign;
      this.#memoComputeUnits += sign * transfer.memoComputeUnits;
    }
    this.#changeTaken(transfer, sign);
  }

  #changeShared(index: number, sign: 1 | -1): void {
    const part = this.#batch.shared[index];
    if (!part) throw new RangeError(`there is no shared part ${index}`);
    if (part.isCreate) this.#counts.creates += sign;
    if (part.isLimitProgram) this.#namesLimitProgram = sign === 1;
    this.#changeTaken(part, sign);
  }

  #changeTaken({ bytes, accounts, instructions, computeUnits }: Weight, sign: 1 | -1): void {
    const taken = this.#taken;
    taken.bytes += sign * bytes;
    taken.accounts += sign * accounts;
    taken.instructions += sign * instructions;
    taken.computeUnits += sign * computeUnits;
  }

  #isWithinLimits(): boolean {
    const { bytes, accounts, instructions, computeUnits } = this.#limits;
    const taken = this.#taken;
    const limitBytes = this.#isLimitOptional() ? 0 : this.#limitBytes();
    const limitAccounts = this.#limitAccounts(limitBytes);
    return (
      taken.bytes + limitBytes + limitAccounts * addressLength <= bytes &&
      taken.accounts + limitAccounts <= accounts &&
      taken.instructions <= instructions &&
      taken.computeUnits <= computeUnits
    );
  }

  // Of a compute limit and a price.
  #limitBytes(): number {
    if (this.#budgetBytes !== 0 || this.#batch.frame.version === 1 || this.#counts.memos === 0)
      return this.#budgetBytes;
    const isNeeded = this.#batch.frame.isHooked || this.#needsLimitForMemos();
    return isNeeded ? limitInstructionBytes : 0;
  }

  // The program of a limit or a price, unless a transfer names it too.
  #limitAccounts(limitBytes: number): number {
    return limitBytes !== 0 && !this.#namesLimitProgram ? 1 : 0;
  }

  // Next to a hook a memo gets a limit where there is room for one.
  #isLimitOptional(): boolean {
    const isAlone = this.transfers.length === 1;
    return isAlone && this.#batch.frame.isHooked && this.#budgetBytes === 0 && !this.#needsLimitForMemos();
  }

  #needsLimitForMemos(): boolean {
    return computeLimitOfMemos(this.#memoComputeUnits, this.#counts) !== undefined;
  }
}
