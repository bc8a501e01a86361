import type { Address } from '../core/address.ts';
import { AccountBatcher } from './account-batcher.ts';
import { BlockhashSource } from './blockhash-source.ts';
import type { AccountsAtSlot, ChainReader, Deadline, FreshBlockhash, Simulation } from './chain-reader.ts';
import { readAccountsResult, readBlockhashResult, readPricesResult, readSimulationResult } from './rpc-answers.ts';
import { type RpcNodeError, type RpcRequest, RpcTransport } from './rpc-transport.ts';
import { DeadlineWatch } from './shared-answer.ts';
import { nonsense, tooSlow, unavailable } from './upstream-faults.ts';

/** How to read the chain through one upstream. */
export interface RpcChainReaderOptions {
  url: string;
  timeoutMilliseconds: number;
  blockhashMaxAgeMilliseconds: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// Nodes behind one address of a provider differ by a few slots at any moment; a node further behind than this is asked
// to refuse rather than to answer from the past.
const toleratedSlotsBehind = 8n;

// A local ledger that is started again begins at a lower slot: after this long without an answer the old slot is forgotten.
const slotMemoryMilliseconds = 10_000;

// Prices move with the traffic of seconds.
const pricesMemoryMilliseconds = 5_000;
const rememberedPrices = 1_000;

// Errors by which a node says that it cannot serve now (agave `rpc-client-api/src/custom_error.rs`): no snapshot,
// unhealthy, slot skipped or cleaned up, transaction history not available, context slot not reached, and internal error.
const nodeUnavailableCodes = new Set([-32001, -32004, -32005, -32007, -32008, -32009, -32011, -32014, -32016, -32603]);

/** Reads the chain over the JSON-RPC of one node; requests share its answers about accounts, and its blockhash. */
export class RpcChainReader implements ChainReader {
  readonly #transport: RpcTransport;
  readonly #options: RpcChainReaderOptions;
  readonly #accounts: AccountBatcher;
  readonly #blockhashes: BlockhashSource;
  #newestSlot = 0n;
  #newestSlotSeenAt = 0;
  readonly #prices = new Map<string, { prices: readonly bigint[]; receivedAt: number }>();

  constructor(options: RpcChainReaderOptions) {
    const { now, timeoutMilliseconds, blockhashMaxAgeMilliseconds: maximumAgeMilliseconds } = options;
    const watch = new DeadlineWatch(now);
    this.#options = options;
    this.#transport = new RpcTransport(options);
    this.#accounts = new AccountBatcher({
      call: (addresses, deadline) => this.#readAccounts(addresses, deadline),
      watch,
      now,
    });
    this.#blockhashes = new BlockhashSource({
      call: () => this.#readBlockhash(now() + timeoutMilliseconds),
      watch,
      maximumAgeMilliseconds,
      now,
    });
  }

  readAccounts(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot> {
    return this.#accounts.read(addresses, deadline);
  }

  readBlockhash(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash> {
    return this.#blockhashes.read(deadline);
  }

  async readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]> {
    const key = addresses.join();
    const known = this.#prices.get(key);
    if (known && this.#options.now() - known.receivedAt < pricesMemoryMilliseconds) return known.prices;
    const method = 'getRecentPrioritizationFees';
    const prices = await this.#call({ method, params: [addresses], read: readPricesResult }, deadline);
    const oldest = this.#prices.keys().next();
    if (this.#prices.size >= rememberedPrices && !oldest.done) this.#prices.delete(oldest.value);
    this.#prices.set(key, { prices, receivedAt: this.#options.now() });
    return prices;
  }

  async simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation> {
    const config = {
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      replaceRecentBlockhash: true,
      ...this.#minContextSlot(),
    };
    const params = [Buffer.from(transaction).toString('base64'), config];
    return this.#call({ method: 'simulateTransaction', params, read: readSimulationResult }, deadline);
  }

  async checkHealth(deadline: Deadline): Promise<void> {
    const result = await this.#call({ method: 'getHealth', params: [], read: (answer) => answer }, deadline);
    if (result !== 'ok') throw unavailable('it does not call itself healthy');
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #readAccounts(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot> {
    const params = [addresses, { commitment: 'confirmed', encoding: 'base64', ...this.#minContextSlot() }];
    const read = (result: unknown): AccountsAtSlot => readAccountsResult(result, addresses.length);
    const accounts = await this.#call({ method: 'getMultipleAccounts', params, read }, deadline);
    this.#sawSlot(accounts.slot);
    return accounts;
  }

  async #readBlockhash(deadline: Deadline): Promise<ReturnType<typeof readBlockhashResult>> {
    const params = [{ commitment: 'confirmed', ...this.#minContextSlot() }];
    const received = await this.#call({ method: 'getLatestBlockhash', params, read: readBlockhashResult }, deadline);
    this.#sawSlot(received.slot);
    return received;
  }

  async #call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const remaining = deadline - this.#options.now();
    if (remaining <= 0) throw tooSlow();
    const answer = await this.#transport.call(request, remaining);
    if ('error' in answer) throw nodeError(request.method, answer.error);
    return answer.result;
  }

  #minContextSlot(): { minContextSlot?: number } {
    const slot = this.#newestSlot - toleratedSlotsBehind;
    const isRecent = this.#options.now() - this.#newestSlotSeenAt < slotMemoryMilliseconds;
    return isRecent && slot > 0n ? { minContextSlot: Number(slot) } : {};
  }

  #sawSlot(slot: bigint): void {
    if (slot < this.#newestSlot && this.#minContextSlot().minContextSlot !== undefined) return;
    this.#newestSlot = slot;
    this.#newestSlotSeenAt = this.#options.now();
  }
}

function nodeError(method: string, error: RpcNodeError): Error {
  return nodeUnavailableCodes.has(error.code)
    ? unavailable(`it answered ${method} with error ${error.code}`, error)
    : nonsense(`it answered ${method} with error ${error.code}`, error);
}
