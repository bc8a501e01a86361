import type { Account } from '../../../core/src/accounts/account.ts';
import type { Address } from '../../../core/src/addresses/address.ts';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { BlockhashAtSlot, ChainReader, FreshBlockhash, Simulation } from '../../src/chain/chain-reader.ts';
import { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { sampleAccount } from './sample-transfer.ts';

/** A chain that a test moves by hand: what it was asked, and what it answers. */
export class FakeChain implements ChainReader {
  readonly accountReads: (readonly Address[])[] = [];
  readonly priceReads: (readonly Address[])[] = [];
  readonly simulated: Uint8Array[] = [];
  readonly tokenAccountReads: (readonly Address[])[] = [];
  /** What it says that any wallet owns. */
  tokenAccounts: ReadonlyMap<Address, Account> = new Map();
  blockhashReads = 0;
  readonly blockhashesAsked: string[] = [];
  readonly deadBlockhashes = new Set<string>();
  /** The slot as of which it says whether a blockhash is valid; its newest blockhash is of slot 1. */
  slot = 1n;
  /** The height of the newest block, and the last character of its hash. */
  height = 1;
  mintProgram: Address = tokenProgram;
  prices: readonly bigint[] = [];
  simulation: Simulation = { error: null, logs: [], unitsConsumed: 4_321 };
  readonly changed: (
    accounts: readonly (Account | null)[],
    addresses: readonly Address[],
  ) => readonly (Account | null)[];
  readonly whileReading: () => void;

  constructor(options: { changed?: FakeChain['changed']; whileReading?: (chain: FakeChain) => void } = {}) {
    this.changed = options.changed ?? ((accounts) => accounts);
    this.whileReading = () => options.whileReading?.(this);
  }

  async readAccounts(addresses: readonly Address[]) {
    this.accountReads.push(addresses);
    await new Promise((resolve) => setImmediate(resolve));
    this.whileReading();
    const accounts = addresses.map((address) => sampleAccount(address, this.mintProgram));
    return { slot: 1n, accounts: this.changed(accounts, addresses) };
  }

  readBlockhash(): FreshBlockhash | Promise<FreshBlockhash> {
    this.blockhashReads += 1;
    const { height } = this;
    return { blockhash: '1'.repeat(31) + height, lastValidBlockHeight: BigInt(height), slot: 1n, askedAt: 0 };
  }

  async isBlockhashValid(blockhash: string): Promise<BlockhashAtSlot> {
    this.blockhashesAsked.push(blockhash);
    return { slot: this.slot, isValid: !this.deadBlockhashes.has(blockhash) };
  }

  async readRecentPrices(addresses: readonly Address[]): Promise<readonly bigint[]> {
    this.priceReads.push(addresses);
    return this.prices;
  }

  async readTokenAccounts(wallet: Address, mint: Address): Promise<ReadonlyMap<Address, Account>> {
    this.tokenAccountReads.push([wallet, mint]);
    return this.tokenAccounts;
  }

  async simulate(transaction: Uint8Array): Promise<Simulation> {
    this.simulated.push(transaction);
    return this.simulation;
  }

  async checkHealth(): Promise<void> {}
  async close(): Promise<void> {}
}

/** A builder on a chain that allows 1,000,000 lamports of priority fee, as a service does unless told otherwise. */
export function builderOf(chain: ChainReader): TransferBuilder {
  return new TransferBuilder(chain, { maxPriorityFeeLamports: 1_000_000n });
}
