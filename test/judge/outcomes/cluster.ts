import type { Address } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { TransactionOutcome } from '../../../packages/sandbox/src/ledger/ledger.ts';
import type { TransactionRecord } from '../../../packages/sandbox/src/ledger/transaction-history.ts';
import { systemProgram } from '../addresses.ts';
import { sol } from '../other-mint.ts';
import { readNonce } from '../transaction.ts';
import { type Execution, executionOf } from './execution.ts';
import { type PaymentReading, readPayments } from './payment-reading.ts';

/** A transaction on the chain. */
export interface Landed {
  record: TransactionRecord;
  reading: PaymentReading;
  execution: Execution;
  /** As the cluster counts, with the slots that were skipped. */
  slot: bigint;
  /** What the watched token accounts were before it and after it. */
  held: ReadonlyMap<Address, { before: Holding | undefined; after: Holding | undefined }>;
}

/** A token account at a moment. */
export interface Holding {
  mint: Address;
  owner: Address;
  /** Base units. */
  amount: bigint;
}

const tokenAccountLength = 165;

/** How many slots later one is final. */
export const slotsToFinalize = 32n;

/**
 * A ledger whose slots are counted as a cluster counts them: some are skipped, and have no block.
 *
 * It knows what landed since a moment, and which nonces an account had, which a ledger forgets.
 */
export class Cluster {
  readonly ledger: Ledger;
  /** What landed since `begin`, oldest first. */
  landed: Landed[] = [];
  /** Token accounts, and wallets with their SOL, whose holdings are noted with each transaction. */
  watched: readonly Address[] = [];
  #before: ReadonlyMap<Address, Holding | undefined> = new Map();
  readonly #skips: { from: bigint; skipped: bigint }[] = [{ from: 0n, skipped: 0n }];
  #nonceAccount: Address | undefined;
  #nonces: { from: bigint; nonce: string }[] = [];

  constructor(ledger: Ledger) {
    this.ledger = ledger;
    ledger.events.on('transaction', (record) => {
      const reading = readPayments(record.transaction.bytes);
      const held = new Map([...this.#before].map(([each, before]) => [each, { before, after: this.#holdingOf(each) }]));
      const execution = executionOf(record);
      this.landed.push({ record, reading, execution, slot: this.slotOf(record.slot), held });
    });
  }

  /** Forgets what was before, and follows this nonce account. */
  begin(nonceAccount: Address | undefined): void {
    this.landed = [];
    this.watched = [];
    this.#nonceAccount = nonceAccount;
    this.#nonces = [];
    this.#noteNonce(0n);
  }

  /** The newest slot of the ledger. */
  get tip(): bigint {
    return this.ledger.slot();
  }

  /** The slot of the cluster that a slot of the ledger is. */
  slotOf(ledgerSlot: bigint): bigint {
    const found = this.#skips.findLast(({ from }) => from <= ledgerSlot);
    return ledgerSlot + (found?.skipped ?? 0n);
  }

  /** The slot of the ledger that is this one of the cluster; `undefined` for one that was skipped, or is still to come. */
  ledgerSlotOf(slot: bigint): bigint | undefined {
    const found = this.#skips.findLast(({ from, skipped }) => from + skipped <= slot);
    const ledgerSlot = slot - (found?.skipped ?? 0n);
    return this.slotOf(ledgerSlot) === slot && ledgerSlot <= this.tip ? ledgerSlot : undefined;
  }

  /** The block height of a slot of the ledger. */
  heightOf(ledgerSlot: bigint): bigint {
    const { slot, blockHeight } = this.ledger.latestBlockhash();
    return blockHeight - (slot - ledgerSlot);
  }

  /** The nonce of the account that is followed, as of a slot of the ledger. */
  nonceAt(ledgerSlot: bigint): string | undefined {
    return this.#nonces.findLast(({ from }) => from <= ledgerSlot)?.nonce;
  }

  /** Lets slots pass with a block each, after so many that are skipped. */
  advance(slots: number, skipped: number): void {
    if (skipped > 0) {
      const before = this.#skips.at(-1)?.skipped ?? 0n;
      this.#skips.push({ from: this.tip + 1n, skipped: before + BigInt(skipped) });
    }
    this.ledger.advanceSlots(slots);
  }

  /** Sends signed bytes to the leader. */
  send(bytes: Uint8Array): TransactionOutcome {
    this.#before = new Map(this.watched.map((each) => [each, this.#holdingOf(each)]));
    const outcome = this.ledger.sendTransaction(bytes);
    this.#before = new Map();
    this.#noteNonce(this.tip);
    return outcome;
  }

  #holdingOf(account: Address): Holding | undefined {
    const found = this.ledger.getAccount(account);
    if (found?.programAddress === systemProgram) return { mint: sol, owner: account, amount: found.lamports };
    if (!found || found.data.length < tokenAccountLength) return undefined;
    const { mint, owner, amount } = getTokenDecoder().decode(found.data);
    return { mint, owner, amount };
  }

  #noteNonce(from: bigint): void {
    if (this.#nonceAccount === undefined) return;
    const nonce = readNonce(this.ledger, this.#nonceAccount);
    if (this.#nonces.at(-1)?.nonce !== nonce) this.#nonces.push({ from, nonce });
  }
}
