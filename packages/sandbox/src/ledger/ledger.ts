import { EventEmitter } from 'node:events';
import { type Address, address, type EncodedAccount, type Signature } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { loadAddresses } from './address-lookup.ts';
import type { RecentBlockhash } from './blockhash-queue.ts';
import { advanceNonce, decodeNonceAccount, isNonceAuthorized, nonceAddressOf } from './durable-nonce.ts';
import { buildAirdrop, faucetAccount } from './faucet.ts';
import { calculateFee } from './fees.ts';
import { loadedAccountsDataSize } from './loaded-accounts-data-size.ts';
import { type Commitment, SlotClock } from './slot-clock.ts';
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
  type SimulatedExecution,
  simulateTransaction,
  startVirtualMachine,
} from './virtual-machine.ts';

/** What became of a sent transaction. */
export interface TransactionOutcome extends Execution {
  readonly signature: Signature;
  /** Whether it is on the ledger, its fee charged: a transaction can land and fail. */
  readonly landed: boolean;
}

/** What came of a simulation. */
export interface Simulation extends SimulatedExecution {
  /** In bytes; what a transaction's limit of loaded data is measured against. */
  readonly loadedAccountsDataSize: number;
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

const maxTransactions = 10_000;
const defaultSlotMs = 200;
const nothingRun = { logs: [], unitsConsumed: 0n, innerInstructions: [], returnData: null } as const;

/** A Solana ledger in memory: the real programs in a virtual machine, and around it what a validator adds. */
export class Ledger {
  readonly events = new EventEmitter<LedgerEvents>();
  readonly #machine: LiteSVM;
  readonly #clock: SlotClock;
  readonly #history = new TransactionHistory(maxTransactions);
  /** Signatures that landed, by blockhash, for as long as the blockhash is kept. */
  readonly #landed = new Map<string, Set<Signature>>();
  #airdrops = 0;

  constructor(options: { readonly slotMs?: number; readonly classicTokenProgram?: boolean } = {}) {
    this.#machine = startVirtualMachine({ classicTokenProgram: options.classicTokenProgram ?? false });
    this.#clock = new SlotClock(this.#machine, options.slotMs || defaultSlotMs);
    this.setAccount(faucetAccount);
  }

  /** The newest slot that is sure enough. */
  slot(commitment: Commitment = 'processed'): bigint {
    return this.#clock.slot(commitment);
  }

  /** The newest blockhash that is sure enough, with its slot, block height and last valid block height. */
  latestBlockhash(commitment: Commitment = 'processed'): RecentBlockhash {
    return this.#clock.latestBlockhash(commitment);
  }

  /** Says whether a transaction with this blockhash would be accepted by the newest block that is sure enough. */
  isBlockhashValid(blockhash: string, commitment: Commitment = 'processed'): boolean {
    return this.#clock.isBlockhashValid(blockhash, commitment);
  }

  /** Transactions that landed since the start. */
  get transactionCount(): bigint {
    return this.#history.count;
  }

  /** Lets slots pass, each with a blockhash of its own. */
  advanceSlots(count: number): void {
    for (const { blockhash } of this.#clock.advance(count)) this.#landed.delete(blockhash);
    this.events.emit('slot', this.slot());
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
    if (refusal !== null) return { ...nothingRun, signature, error: refusal, landed: false };
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
    if (error !== null) return { ...nothingRun, error, postAccounts: undefined, loadedAccountsDataSize: 0 };
    const size = loadedAccountsDataSize(
      this.#addressesOf(transaction),
      transaction.addressTableLookups.length,
      this.#read,
    );
    return { ...simulateTransaction(this.#machine, transaction), loadedAccountsDataSize: size };
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

  readonly #read = (accountAddress: Address) => this.getAccount(accountAddress);

  #addressesOf(message: DecodedMessage): readonly Address[] {
    const { writable, readonly } = loadAddresses(message, this.#read);
    return [...message.staticAddresses, ...writable, ...readonly];
  }

  #execute(transaction: DecodedTransaction): TransactionRecord | TransactionOutcome {
    const addresses = this.#addressesOf(transaction);
    const balances = () => addresses.map((each) => this.#machine.getBalance(each) ?? 0n);
    const nonceAccount = this.#nonceAccount(transaction);
    const preBalances = balances();
    const preTokenBalances = tokenBalancesOf(addresses, this.#read);
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
      slot: this.slot(),
      blockTime: this.#clock.blockTime(this.slot()),
      fee: calculateFee(transaction),
      addresses,
      loadedAddresses: loadAddresses(transaction, this.#read),
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(addresses, this.#read),
      memo: memoOf(transaction),
    };
  }
}
