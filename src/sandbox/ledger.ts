import { EventEmitter } from 'node:events';
import { type Address, address, type EncodedAccount, type Signature } from '@solana/kit';
import { Clock, type LiteSVM } from 'litesvm';
import { loadAddresses } from './address-lookup.ts';
import { BlockhashQueue, type RecentBlockhash } from './blockhash-queue.ts';
import { advanceNonce, decodeNonceAccount, isNonceAuthorized, nonceAddressOf } from './durable-nonce.ts';
import { buildAirdrop, faucetAccount } from './faucet.ts';
import { calculateFee } from './fees.ts';
import { tokenBalancesOf } from './token-balances.ts';
import {
  type DecodedMessage,
  type DecodedTransaction,
  decodeTransaction,
  hasValidSignatures,
} from './transaction-decoding.ts';
import type { TransactionError } from './transaction-error.ts';
import { type Execution, memoOf, TransactionHistory, type TransactionRecord } from './transaction-history.ts';
import {
  executeTransaction,
  readAccount,
  type Simulation,
  simulateTransaction,
  startVirtualMachine,
} from './virtual-machine.ts';

/** How sure the cluster is of what is asked for. `processed` and `confirmed` are the newest slot here. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** What became of a sent transaction. */
export interface TransactionOutcome extends Execution {
  readonly signature: Signature;
  /** Whether it is on the ledger, its fee charged: a transaction can land and fail. */
  readonly landed: boolean;
}

/** What `simulate` checks before it runs the transaction. */
export interface SimulationChecks {
  readonly verifySignatures: boolean;
  /** The blockhash or nonce, and that the transaction is no duplicate. */
  readonly checkLifetime: boolean;
  /** The blockhash must be known at this commitment. */
  readonly commitment: Commitment;
}

/** What the ledger tells those who listen. */
export interface LedgerEvents {
  /** A slot began. */
  slot: [slot: bigint];
  /** A transaction landed. */
  transaction: [record: TransactionRecord];
}

/** Slots that the newest one must be ahead for a slot to be final (`MAX_LOCKOUT_HISTORY` and one). */
export const SLOTS_TO_FINALIZE = 32n;

/** Slots in an epoch of mainnet. */
export const SLOTS_PER_EPOCH = 432_000n;

/** Blocks are fewer than slots on a real cluster, where some slots are skipped: never take one for the other. */
const SKIPPED_SLOTS = 21_000_000n;

const SLOTS_BEFORE_START = 40n;
const REMEMBERED_TRANSACTIONS = 10_000;
const DEFAULT_SLOT_MILLISECONDS = 400n;
const NOTHING_RUN = { logs: [], unitsConsumed: 0n, innerInstructions: [], returnData: null } as const;

/** A Solana ledger in memory: the real programs in a virtual machine, and around it what a validator adds. */
export class Ledger {
  readonly events = new EventEmitter<LedgerEvents>();
  readonly #machine: LiteSVM;
  readonly #blockhashes = new BlockhashQueue();
  readonly #history = new TransactionHistory(REMEMBERED_TRANSACTIONS);
  /** Signatures that landed, by blockhash, for as long as the blockhash is kept. */
  readonly #landed = new Map<string, Set<Signature>>();
  readonly #firstSlot: bigint;
  readonly #firstSlotMilliseconds: bigint;
  readonly #slotMilliseconds: bigint;
  #slot: bigint;
  #airdrops = 0;

  constructor(options: { readonly slotMilliseconds?: number; readonly classicTokenProgram?: boolean } = {}) {
    this.#machine = startVirtualMachine({ classicTokenProgram: options.classicTokenProgram ?? false });
    this.#slotMilliseconds = BigInt(options.slotMilliseconds ?? 0) || DEFAULT_SLOT_MILLISECONDS;
    // The machine's programs are deployed in its first slot: an earlier one would not see them.
    this.#firstSlot = this.#machine.getClock().slot;
    this.#slot = this.#firstSlot - 1n;
    // The slots that pass at once, here and to make a seeded world final, are in the past.
    const slotsAtOnce = SLOTS_BEFORE_START + SLOTS_TO_FINALIZE;
    this.#firstSlotMilliseconds = BigInt(Date.now()) - slotsAtOnce * this.#slotMilliseconds;
    this.advanceSlots(Number(SLOTS_BEFORE_START));
    this.setAccount(faucetAccount);
  }

  /** The newest slot that is sure enough. */
  slot(commitment: Commitment = 'processed'): bigint {
    return commitment === 'finalized' ? this.#slot - SLOTS_TO_FINALIZE : this.#slot;
  }

  /** The newest blockhash that is sure enough, with its slot, block height and last valid block height. */
  latestBlockhash(commitment: Commitment = 'processed'): RecentBlockhash {
    return this.#blockhashes.at(this.slot(commitment));
  }

  /** Says whether a transaction with this blockhash would be accepted by the newest block that is sure enough. */
  isBlockhashValid(blockhash: string, commitment: Commitment = 'processed'): boolean {
    return this.#blockhashes.isValid(blockhash, this.latestBlockhash(commitment));
  }

  /** Seconds since 1970 at a slot's beginning: slots are of equal length, also when they are advanced by hand. */
  blockTime(slot: bigint): bigint {
    return (this.#firstSlotMilliseconds + (slot - this.#firstSlot) * this.#slotMilliseconds) / 1000n;
  }

  /** Transactions that landed since the start. */
  get transactionCount(): bigint {
    return this.#history.count;
  }

  /** Lets slots pass, each with a blockhash of its own. */
  advanceSlots(count: number): void {
    for (let passed = 0; passed < count; passed += 1) {
      this.#slot += 1n;
      const dropped = this.#blockhashes.push(this.#slot, this.#slot - SKIPPED_SLOTS);
      if (dropped !== undefined) this.#landed.delete(dropped.blockhash);
    }
    const epoch = this.#slot / SLOTS_PER_EPOCH;
    const epochStart = this.blockTime(epoch * SLOTS_PER_EPOCH);
    this.#machine.setClock(new Clock(this.#slot, epochStart, epoch, epoch + 1n, this.blockTime(this.#slot)));
    this.#machine.setSlotHashes(
      this.#blockhashes.newestFirst().map(({ slot, blockhash }) => ({ slot, hash: blockhash })),
    );
    this.events.emit('slot', this.#slot);
  }

  /** Gives an account; undefined where there is none. */
  getAccount(accountAddress: Address): EncodedAccount | undefined {
    return readAccount(this.#machine, accountAddress);
  }

  /** Writes an account as it is told, whatever the programs would say: for setting up situations. */
  setAccount(account: EncodedAccount): void {
    this.#machine.setAccount(account);
  }

  /** Gives every account that a program owns. */
  getProgramAccounts(programAddress: Address): EncodedAccount[] {
    return this.#machine.getProgramAccounts(programAddress).filter(({ lamports }) => lamports > 0n);
  }

  /** The least lamports that an account of so many bytes must hold. */
  minimumBalanceForRentExemption(bytes: bigint): bigint {
    return this.#machine.minimumBalanceForRentExemption(bytes);
  }

  /** Gives a message's fee in lamports; undefined when its blockhash has expired. */
  feeForMessage(message: DecodedMessage, commitment: Commitment): bigint | undefined {
    return this.#isAlive(message, commitment) ? calculateFee(message) : undefined;
  }

  /** Gives the record of a transaction that landed. */
  transactionRecord(signature: string): TransactionRecord | undefined {
    return this.#history.get(signature);
  }

  /** Gives the records of the transactions that mention an address, newest first. */
  transactionRecordsOf(accountAddress: string): readonly TransactionRecord[] {
    return this.#history.ofAddress(accountAddress);
  }

  /**
   * Takes a transaction's bytes as a leader does: verified, alive, no duplicate, executed, recorded.
   * Throws `TransactionDecodingError` for bytes that are no transaction; every other failure is in the outcome.
   */
  sendTransaction(bytes: Uint8Array): TransactionOutcome {
    const transaction = decodeTransaction(bytes);
    const { signature } = transaction;
    const refusal = hasValidSignatures(transaction)
      ? this.#lifetimeError(transaction, 'processed')
      : ('SignatureFailure' as const);
    if (refusal !== null) return { ...NOTHING_RUN, signature, error: refusal, landed: false };
    const record = this.#execute(transaction);
    if ('landed' in record) return record;
    this.#history.add(record);
    const landed = this.#landed.get(transaction.recentBlockhash) ?? new Set();
    if (this.isBlockhashValid(transaction.recentBlockhash)) {
      this.#landed.set(transaction.recentBlockhash, landed.add(signature));
    }
    this.events.emit('transaction', record);
    const { error, logs, unitsConsumed, innerInstructions, returnData } = record;
    return { signature, landed: true, error, logs, unitsConsumed, innerInstructions, returnData };
  }

  /** Runs a transaction without keeping what it changes. Throws `TransactionDecodingError`. */
  simulate(bytes: Uint8Array, checks: SimulationChecks): Simulation {
    const transaction = decodeTransaction(bytes);
    const error: TransactionError | null =
      checks.verifySignatures && !hasValidSignatures(transaction)
        ? 'SignatureFailure'
        : checks.checkLifetime
          ? this.#lifetimeError(transaction, checks.commitment)
          : null;
    if (error !== null) return { ...NOTHING_RUN, error, postAccounts: undefined };
    return simulateTransaction(this.#machine, transaction);
  }

  /** Pays lamports out of the faucet by a transaction, which is recorded like any other. */
  airdrop(recipient: Address, lamports: bigint): TransactionOutcome {
    this.#airdrops += 1;
    return this.sendTransaction(buildAirdrop(recipient, lamports, this.latestBlockhash(), this.#airdrops));
  }

  #lifetimeError(transaction: DecodedTransaction, commitment: Commitment): TransactionError | null {
    if (!this.#isAlive(transaction, commitment)) return 'BlockhashNotFound';
    return this.#landed.get(transaction.recentBlockhash)?.has(transaction.signature) ? 'AlreadyProcessed' : null;
  }

  #isAlive(message: DecodedMessage, commitment: Commitment): boolean {
    return this.isBlockhashValid(message.recentBlockhash, commitment) || this.#nonceAccount(message) !== undefined;
  }

  /** The nonce account that holds this message's lifetime and may be advanced by it. */
  #nonceAccount(message: DecodedMessage): EncodedAccount | undefined {
    const nonceAddress = nonceAddressOf(message);
    const account = nonceAddress === undefined ? undefined : this.getAccount(address(nonceAddress));
    const state = account === undefined ? undefined : decodeNonceAccount(account);
    const usable = state?.nonce === message.recentBlockhash && isNonceAuthorized(message, state);
    return usable ? account : undefined;
  }

  #execute(transaction: DecodedTransaction): TransactionRecord | TransactionOutcome {
    const read = (accountAddress: Address) => this.getAccount(accountAddress);
    const loadedAddresses = loadAddresses(transaction, read);
    const addresses = [...transaction.staticAddresses, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const balances = () => addresses.map((each) => this.#machine.getBalance(each) ?? 0n);
    const nonceAccount = this.#nonceAccount(transaction);
    const preBalances = balances();
    const preTokenBalances = tokenBalancesOf(addresses, read);
    const execution = executeTransaction(this.#machine, transaction);
    const postBalances = balances();
    const { signature } = transaction;
    // The machine charges the fee of a failed transaction exactly when a validator would put it in a block.
    const landed = execution.error === null || (postBalances[0] ?? 0n) < (preBalances[0] ?? 0n);
    if (!landed) return { ...execution, signature, landed };
    // A validator advances the nonce of a transaction that fails, too; the machine rolls it back.
    if (execution.error !== null && nonceAccount !== undefined) {
      const current = this.getAccount(nonceAccount.address) ?? nonceAccount;
      this.setAccount(advanceNonce(current, transaction.recentBlockhash));
    }
    return {
      ...execution,
      signature,
      transaction,
      slot: this.#slot,
      blockTime: this.blockTime(this.#slot),
      fee: calculateFee(transaction),
      addresses,
      loadedAddresses,
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(addresses, read),
      memo: memoOf(transaction),
    };
  }
}
