import type { Address, Signature } from '@solana/kit';
import type { TokenBalance } from './token-balances.ts';
import { type DecodedInstruction, type DecodedTransaction, isStaticWritable } from './transaction-decoding.ts';
import type { TransactionError } from './transaction-error.ts';

/** An instruction that a program called, with its depth: 2 for one called by the transaction's own. */
export interface InnerInstruction extends DecodedInstruction {
  stackHeight: number;
}

/** What a program returned last. */
export interface ReturnData {
  programAddress: Address;
  data: Uint8Array;
}

/** Addresses that a transaction took from lookup tables. */
export interface LoadedAddresses {
  writable: readonly Address[];
  readonly: readonly Address[];
}

/** The result of running a transaction's instructions. */
export interface Execution {
  error: TransactionError | null;
  logs: readonly string[];
  unitsConsumed: bigint;
  /** Indexed by the transaction's own instructions. */
  innerInstructions: readonly (readonly InnerInstruction[])[];
  returnData: ReturnData | null;
}

/** A transaction that landed: executed, its fee charged, whether it succeeded or failed. */
export interface TransactionRecord extends Execution {
  signature: Signature;
  transaction: DecodedTransaction;
  slot: bigint;
  /** Its place among the transactions of its block, from 0. */
  transactionIndex: number;
  /** Seconds since 1970. */
  blockTime: bigint;
  /** In lamports. */
  fee: bigint;
  /** The message's addresses, then the looked-up writable ones, then the looked-up others; balances have this order. */
  addresses: readonly Address[];
  loadedAddresses: LoadedAddresses;
  preBalances: readonly bigint[];
  postBalances: readonly bigint[];
  preTokenBalances: readonly TokenBalance[];
  postTokenBalances: readonly TokenBalance[];
  /** As a validator reports it: `[5] hello`, several joined by `; `; null without a memo. */
  memo: string | null;
}

/** Returns the accounts that a transaction may have changed: the writable ones, or, when it failed, the one that paid the fee. */
export function changedAddressesOf(record: TransactionRecord): readonly Address[] {
  const { transaction, loadedAddresses, error } = record;
  const writable = transaction.staticAddresses.filter((_, index) => isStaticWritable(transaction, index));
  return error === null ? [...writable, ...loadedAddresses.writable] : writable.slice(0, 1);
}

const memoPrograms: ReadonlySet<string> = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

/** Joins the memos of a transaction's own instructions (the validator's `extract_memos`); null when there are none. */
export function memoOf(transaction: DecodedTransaction): string | null {
  const memos = transaction.instructions
    .filter(({ programIndex }) => memoPrograms.has(transaction.staticAddresses[programIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${textOf(data)}`);
  return memos.length === 0 ? null : memos.join('; ');
}

function textOf(memo: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(memo);
  } catch {
    return '(unparseable)';
  }
}

/** The newest transactions that landed, by signature and by address. */
export class TransactionHistory {
  readonly #capacity: number;
  readonly #bySignature = new Map<string, TransactionRecord>();
  readonly #byAddress = new Map<string, TransactionRecord[]>();
  #count = 0n;
  #firstCompleteSlot = 0n;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Transactions ever added, forgotten ones included. */
  get count(): bigint {
    return this.#count;
  }

  /** The oldest slot of which no transaction was forgotten. */
  get firstCompleteSlot(): bigint {
    return this.#firstCompleteSlot;
  }

  /** Adds the newest record and forgets the oldest one past the capacity. */
  add(record: TransactionRecord): void {
    this.#count += 1n;
    this.#bySignature.set(record.signature, record);
    for (const address of new Set(record.addresses)) {
      const records = this.#byAddress.get(address);
      if (records === undefined) this.#byAddress.set(address, [record]);
      else records.push(record);
    }
    if (this.#bySignature.size > this.#capacity) this.#forgetOldest();
  }

  /** Returns the record of a signature. */
  get(signature: string): TransactionRecord | undefined {
    return this.#bySignature.get(signature);
  }

  /** Returns the records that mention an address, newest first. */
  ofAddress(address: string): readonly TransactionRecord[] {
    return this.#byAddress.get(address)?.toReversed() ?? [];
  }

  #forgetOldest(): void {
    const oldest = this.#bySignature.values().next().value;
    if (oldest === undefined) return;
    this.#firstCompleteSlot = oldest.slot + 1n;
    this.#bySignature.delete(oldest.signature);
    for (const address of new Set(oldest.addresses)) {
      const records = this.#byAddress.get(address);
      records?.shift();
      if (records?.length === 0) this.#byAddress.delete(address);
    }
  }
}
