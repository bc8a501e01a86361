import { createHash } from 'node:crypto';
import { type Address, address, type EncodedAccount } from '@solana/kit';
import type { RecentBlockhash } from './blockhash-queue.ts';
import { decodeNonceAccount, isNonceAuthorized, nonceAddressOf } from './durable-nonce.ts';
import type { Commitment, SlotClock } from './slot-clock.ts';
import type { DecodedMessage } from './transaction-decoding.ts';
import type { TransactionError } from './transaction-error.ts';

/** A validator recognizes a transaction by its message, signed or not. */
function messageHash({ messageBytes }: DecodedMessage): string {
  return createHash('sha256').update(messageBytes).digest('base64');
}

/** Decides whether a message can still land: its blockhash or nonce is valid, and it has not landed before. */
export class Lifetimes {
  readonly #clock: SlotClock;
  readonly #getAccount: (address: Address) => EncodedAccount | undefined;
  /** Messages that landed, by blockhash, for as long as the blockhash is kept. */
  readonly #landed = new Map<string, Set<string>>();

  constructor(clock: SlotClock, getAccount: (address: Address) => EncodedAccount | undefined) {
    this.#clock = clock;
    this.#getAccount = getAccount;
  }

  /** Returns why a message cannot land in the newest block at this commitment; null when it can. */
  errorOf(message: DecodedMessage, commitment: Commitment): TransactionError | null {
    if (!this.isAlive(message, commitment)) return 'BlockhashNotFound';
    return this.#landed.get(message.recentBlockhash)?.has(messageHash(message)) ? 'AlreadyProcessed' : null;
  }

  /** Returns whether a message's blockhash or nonce is valid in the newest block at this commitment. */
  isAlive(message: DecodedMessage, commitment: Commitment): boolean {
    return (
      this.#clock.isBlockhashValid(message.recentBlockhash, commitment) || this.nonceAccountOf(message) !== undefined
    );
  }

  /** Returns the nonce account that holds this message's lifetime and may be advanced by it. */
  nonceAccountOf(message: DecodedMessage): EncodedAccount | undefined {
    const nonceAddress = nonceAddressOf(message);
    const account = nonceAddress === undefined ? undefined : this.#getAccount(address(nonceAddress));
    const state = account === undefined ? undefined : decodeNonceAccount(account);
    const usable = state?.nonce === message.recentBlockhash && isNonceAuthorized(message, state);
    return usable ? account : undefined;
  }

  /** Remembers that a message landed, so that it cannot land twice within its blockhash's life. */
  remember(message: DecodedMessage): void {
    if (!this.#clock.isBlockhashValid(message.recentBlockhash, 'processed')) return;
    const landed = this.#landed.get(message.recentBlockhash) ?? new Set();
    this.#landed.set(message.recentBlockhash, landed.add(messageHash(message)));
  }

  /** Forgets the messages of a blockhash that is dead. */
  forget({ blockhash }: RecentBlockhash): void {
    this.#landed.delete(blockhash);
  }
}
