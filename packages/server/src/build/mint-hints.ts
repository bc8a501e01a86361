import { LRUCache } from 'lru-cache';
import { type Account, type Address, decodeMint, type MintHint } from 'splwright-core';

// Enough for every token that a payment service handles; the oldest is dropped first.
const maxRememberedMints = 10_000;

/** The token program and hook of mints seen before: only the accounts that they need are read. */
export class MintHints {
  readonly #hints = new LRUCache<Address, MintHint>({ max: maxRememberedMints });

  /** What is known of a mint; `undefined` of one never seen. */
  of(mint: Address): MintHint | undefined {
    return this.#hints.peek(mint);
  }

  /** Remembers what an account says of a mint; nothing where it is none. */
  learn(address: Address, account: Account | null | undefined): void {
    const mint = account && decodeMint(account);
    if (mint) this.remember(address, mint);
  }

  /** Remembers a mint. */
  remember(address: Address, { tokenProgram, transferHookProgram }: MintHint): void {
    const known = this.#hints.peek(address);
    if (known?.tokenProgram === tokenProgram && known.transferHookProgram === transferHookProgram) return;
    this.#hints.set(address, { tokenProgram, transferHookProgram });
  }
}
