import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Address, type EncodedAccount, getBase58Decoder, type Signature } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { AccountStore } from './account-store.ts';
import { loadAddresses } from './address-lookup.ts';
import { type Block, BlockHistory } from './block-history.ts';
import type { RecentBlockhash } from './blockhash-queue.ts';
import { advanceNonce } from './durable-nonce.ts';
import { buildAirdrop, faucetAccount } from './faucet.ts';
import { calculateFee } from './fees.ts';
import { Lifetimes } from './lifetimes.ts';
import { refusedSimulation, type Simulation, simulate } from './simulation.ts';
import { alpenglowCertificate, type Commitment, SlotClock, type SlotsToFinalize } from './slot-clock.ts';
import { tokenBalancesOf } from './token-balances.ts';
import {
  type DecodedMessage,
  type DecodedTransaction,
  decodeTransaction,
  hasValidSignatures,
  isStaticWritable,
} from './transaction-decoding.ts';
import { type Execution, memoOf, TransactionHistory, type TransactionRecord } from './transaction-history.ts';
import { executeTransaction, startVirtualMachine, type VirtualMachineOptions } from './virtual-machine.ts';

/** What became of a sent transaction. */
export interface TransactionOutcome extends Execution {
  signature: Signature;
  /** Whether it is on the ledger, its fee charged: a transaction can land and fail. */
  landed: boolean;
}

/** What `simulate` checks before it runs the transaction. */
export interface SimulationChecks {
  verifySignatures: boolean;
  /** The blockhash or nonce, and that the transaction has not landed before. */
  checkLifetime: boolean;
  /** The blockhash must be known at this commitment. */
  commitment: Commitment;
}

/** The ledger's events. */
export interface LedgerEvents {
  /** Slots began, of which this is the newest. */
  slot: [slot: bigint];
  /** A transaction landed. */
  transaction: [record: TransactionRecord];
}

const maxTransactions = 10_000;
const maxBlocks = 20_000;
const defaultSlotMs = 200;
/** Mainnet's since epoch 1033 (SIMD-0437). */
const defaultLamportsPerByte = 5_080n;

/** A Solana ledger in memory: the real programs in a virtual machine, and around it what a validator adds. */
export class Ledger {
  readonly events = new EventEmitter<LedgerEvents>();
  /** In base58. Random: two ledgers have nothing in common, though their first accounts are the same. */
  readonly genesisHash = getBase58Decoder().decode(randomBytes(32));
  /** How long a slot lasts, whether slots pass by themselves or by hand. */
  readonly slotMs: number;
  readonly #machine: LiteSVM;
  readonly #clock: SlotClock;
  readonly #accounts: AccountStore;
  readonly #lifetimes: Lifetimes;
  readonly #history = new TransactionHistory(maxTransactions);
  readonly #blocks = new BlockHistory(maxBlocks);
  #airdrops = 0;

  constructor(options: { slotMs?: number; slotsToFinalize?: SlotsToFinalize } & Partial<VirtualMachineOptions> = {}) {
    const { slotsToFinalize = 0, classicTokenProgram = false, lamportsPerByte = defaultLamportsPerByte } = options;
    this.slotMs = options.slotMs || defaultSlotMs;
    this.#machine = startVirtualMachine({ classicTokenProgram, lamportsPerByte });
    this.#clock = new SlotClock(this.#machine, this.slotMs, slotsToFinalize);
    this.#accounts = new AccountStore(this.#machine);
    this.#lifetimes = new Lifetimes(this.#clock, this.#read);
    for (const first of this.#clock.firstBlockhashes) this.#blocks.add(first);
    this.setAccount(faucetAccount);
    if (slotsToFinalize === 0) this.setAccount(alpenglowCertificate);
  }

  /** A slot is final when the newest one is this far ahead. */
  get slotsToFinalize(): SlotsToFinalize {
    return this.#clock.slotsToFinalize;
  }

  /** The newest slot at this commitment. */
  slot(commitment: Commitment = 'processed'): bigint {
    return this.#clock.slot(commitment);
  }

  /** The newest blockhash at this commitment, with its slot, block height and last valid block height. */
  latestBlockhash(commitment: Commitment = 'processed'): RecentBlockhash {
    return this.#clock.latestBlockhash(commitment);
  }

  /** Returns whether the newest block at this commitment would accept a transaction with this blockhash. */
  isBlockhashValid(blockhash: string, commitment: Commitment = 'processed'): boolean {
    return this.#clock.isBlockhashValid(blockhash, commitment);
  }

  /** Transactions that landed since the start. */
  get transactionCount(): bigint {
    return this.#history.count;
  }

  /** The oldest slot whose block is kept. */
  get firstSlot(): bigint {
    return this.#blocks.firstSlot;
  }

  /** The oldest slot from which on every block is kept with all its transactions; 0, as of an archive, while all of them are. */
  get firstAvailableSlot(): bigint {
    const ofTransactions = this.#history.firstCompleteSlot;
    const ofBlocks = this.#blocks.firstCompleteSlot;
    return ofTransactions > ofBlocks ? ofTransactions : ofBlocks;
  }

  /** Returns a slot's block; undefined when it is forgotten or still to come. */
  block(slot: bigint): Block | undefined {
    return this.#blocks.get(slot);
  }

  /** Returns the beginning of a slot in seconds since 1970. */
  blockTime(slot: bigint): bigint {
    return this.#clock.blockTime(slot);
  }

  /** Lets slots pass, each with a blockhash of its own. */
  advanceSlots(count: number): void {
    const { begun, forgotten } = this.#clock.advance(count);
    for (const each of forgotten) this.#lifetimes.forget(each);
    for (const each of begun) this.#blocks.add(each);
    this.#accounts.forgetBefore(this.slot('finalized'));
    this.events.emit('slot', this.slot());
  }

  /** Returns an account at this commitment; undefined where there is none. */
  getAccount(accountAddress: Address, commitment: Commitment = 'processed'): EncodedAccount | undefined {
    return this.#accounts.get(accountAddress, this.#pastSlot(commitment));
  }

  /** Writes an account at every commitment without running a program: for setting up situations. */
  setAccount(account: EncodedAccount): void {
    this.#accounts.set(account);
  }

  /** Returns every account that a program owns at this commitment. */
  getProgramAccounts(programAddress: Address, commitment: Commitment = 'processed'): EncodedAccount[] {
    return this.#accounts.ownedBy(programAddress, this.#pastSlot(commitment));
  }

  /** The least lamports that an account of so many bytes must hold. */
  minimumBalanceForRentExemption(bytes: bigint): bigint {
    return this.#machine.minimumBalanceForRentExemption(bytes);
  }

  /** Returns a message's fee in lamports; undefined when its blockhash has expired. */
  feeForMessage(message: DecodedMessage, commitment: Commitment): bigint | undefined {
    return this.#lifetimes.isAlive(message, commitment) ? calculateFee(message) : undefined;
  }

  /** Returns the record of a transaction that landed. */
  transactionRecord(signature: string): TransactionRecord | undefined {
    return this.#history.get(signature);
  }

  /** Returns the records of the transactions that mention an address, newest first. */
  transactionRecordsOf(accountAddress: string): readonly TransactionRecord[] {
    return this.#history.ofAddress(accountAddress);
  }

  /**
   * Takes a transaction's bytes as a leader does: verified, alive, not landed before, executed, recorded.
   * Throws `TransactionDecodingError` for bytes that are no transaction; every other failure is in the outcome.
   */
  sendTransaction(bytes: Uint8Array): TransactionOutcome {
    const transaction = decodeTransaction(bytes);
    const { signature } = transaction;
    const refusal = hasValidSignatures(transaction)
      ? this.#lifetimes.errorOf(transaction, 'processed')
      : ('SignatureFailure' as const);
    if (refusal !== null) return { ...refusedSimulation(refusal), signature, landed: false };
    const record = this.#execute(transaction);
    if ('landed' in record) return record;
    this.#history.add(record);
    this.#blocks.addTransaction(record);
    this.#lifetimes.remember(transaction);
    this.events.emit('transaction', record);
    const { error, logs, unitsConsumed, innerInstructions, returnData } = record;
    return { signature, landed: true, error, logs, unitsConsumed, innerInstructions, returnData };
  }

  /** Runs a transaction without keeping what it changes. Throws `TransactionDecodingError`. */
  simulate(bytes: Uint8Array, checks: SimulationChecks): Simulation {
    const transaction = decodeTransaction(bytes);
    if (checks.verifySignatures && !hasValidSignatures(transaction)) return refusedSimulation('SignatureFailure');
    const error = checks.checkLifetime ? this.#lifetimes.errorOf(transaction, checks.commitment) : null;
    return error === null ? simulate(this.#machine, transaction, this.#read) : refusedSimulation(error);
  }

  /** Pays lamports out of the faucet by a transaction, which is recorded like any other. */
  airdrop(recipient: Address, lamports: bigint): TransactionOutcome {
    this.#airdrops += 1;
    return this.sendTransaction(buildAirdrop(recipient, lamports, this.latestBlockhash(), this.#airdrops));
  }

  readonly #read = (accountAddress: Address) => this.getAccount(accountAddress);

  /** The slot to look back to; undefined at the newest one. */
  #pastSlot(commitment: Commitment): bigint | undefined {
    return commitment === 'finalized' ? this.slot(commitment) : undefined;
  }

  #execute(transaction: DecodedTransaction): TransactionRecord | TransactionOutcome {
    const { signature, staticAddresses } = transaction;
    const slot = this.slot();
    const loadedAddresses = loadAddresses(transaction, this.#read);
    const addresses = [...staticAddresses, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const before = new Map(addresses.map((each) => [each, this.getAccount(each)]));
    const readBefore = (each: Address) => (before.has(each) ? before.get(each) : this.getAccount(each));
    const nonceAccount = this.#lifetimes.nonceAccountOf(transaction);
    const preBalances = addresses.map((each) => before.get(each)?.lamports ?? 0n);
    const preTokenBalances = tokenBalancesOf(addresses, readBefore);
    const staticWritable = staticAddresses.filter((_, index) => isStaticWritable(transaction, index));
    for (const each of [...staticWritable, ...loadedAddresses.writable]) {
      this.#accounts.remember(each, slot, before.get(each));
    }
    const execution = executeTransaction(this.#machine, transaction);
    const postBalances = addresses.map((each) => this.#machine.getBalance(each) ?? 0n);
    // The machine charges the fee of a failed transaction exactly when a validator would put it in a block.
    const landed = execution.error === null || (postBalances[0] ?? 0n) < (preBalances[0] ?? 0n);
    if (!landed) return { ...execution, signature, landed };
    // A validator advances the nonce of a transaction that fails, too; the machine rolls it back.
    if (execution.error !== null && nonceAccount !== undefined) {
      const current = this.getAccount(nonceAccount.address) ?? nonceAccount;
      this.#accounts.change(advanceNonce(current, transaction.recentBlockhash));
    }
    return {
      ...execution,
      signature,
      transaction,
      slot,
      transactionIndex: this.#blocks.transactionCountOf(slot),
      blockTime: this.blockTime(slot),
      fee: calculateFee(transaction),
      addresses,
      loadedAddresses,
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(addresses, this.#read),
      memo: memoOf(transaction),
    };
  }
}
