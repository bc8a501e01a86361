import { address } from '@solana/kit';
import type { Account } from '../../packages/core/src/accounts/account.ts';
import { type Address, toAddress } from '../../packages/core/src/addresses/address.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type {
  AccountsAtSlot,
  BlockhashAtSlot,
  ChainReader,
  FreshBlockhash,
  Simulation,
} from '../../packages/server/src/chain/chain-reader.ts';

/** Reads the chain straight from a ledger, and counts how often accounts are asked for. */
export class LedgerChainReader implements ChainReader {
  readonly #ledger: Ledger;
  /** Round trips for accounts so far. */
  accountReads = 0;
  /** Round trips for recent prices so far. */
  priceReads = 0;
  /** What others paid lately, in micro-lamports per compute unit. */
  recentPrices: readonly bigint[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async readAccounts(addresses: readonly Address[]): Promise<AccountsAtSlot> {
    this.accountReads += 1;
    return { slot: this.#ledger.slot('confirmed'), accounts: addresses.map((address) => this.#read(address)) };
  }

  async readBlockhash(): Promise<FreshBlockhash> {
    const { blockhash, lastValidBlockHeight, slot } = this.#ledger.latestBlockhash('confirmed');
    return { blockhash, lastValidBlockHeight, slot, askedAt: performance.now() };
  }

  async isBlockhashValid(blockhash: string): Promise<BlockhashAtSlot> {
    return { slot: this.#ledger.slot('confirmed'), isValid: this.#ledger.isBlockhashValid(blockhash, 'confirmed') };
  }

  async readRecentPrices(): Promise<readonly bigint[]> {
    this.priceReads += 1;
    return this.recentPrices;
  }

  /** Finds none: what it would explain changes no decision. */
  async readTokenAccounts(): Promise<ReadonlyMap<Address, Account>> {
    return new Map();
  }

  /** Only a transaction that thaws is simulated, where no world asks for it. */
  async simulate(transaction: Uint8Array): Promise<Simulation> {
    const checks = { verifySignatures: false, checkLifetime: false, commitment: 'confirmed' } as const;
    const { error, logs, unitsConsumed } = this.#ledger.simulate(transaction, checks);
    return { error, logs, unitsConsumed: Number(unitsConsumed) };
  }

  async checkHealth(): Promise<void> {}

  async close(): Promise<void> {}

  #read(wanted: Address): Account | null {
    const found = this.#ledger.getAccount(address(wanted));
    if (!found) return null;
    return {
      owner: toAddress(found.programAddress),
      lamports: found.lamports,
      data: Uint8Array.from(found.data),
      executable: found.executable,
    };
  }
}
