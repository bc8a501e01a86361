import type { Address } from '../core/address.ts';
import type { AccountsAtSlot, ChainReader, FreshBlockhash, Simulation } from './chain-reader.ts';
import { readAccountsResult, readBlockhashResult, readPricesResult, readSimulationResult } from './rpc-answers.ts';
import { nonsense, type RpcNodeError, RpcTransport, tooSlow, unavailable } from './rpc-transport.ts';

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

/** Reads the chain over the JSON-RPC of one node, and shares its blockhash among all requests while it is fresh. */
export class RpcChainReader implements ChainReader {
  readonly #transport: RpcTransport;
  readonly #options: RpcChainReaderOptions;
  #newestSlot = 0n;
  #newestSlotSeenAt = 0;
  #blockhash: FreshBlockhash | undefined;
  readonly #prices = new Map<string, { prices: readonly bigint[]; receivedAt: number }>();
  #pendingBlockhash: Promise<FreshBlockhash> | undefined;

  constructor(options: RpcChainReaderOptions) {
    this.#options = options;
    this.#transport = new RpcTransport(options);
  }

  async readAccounts(addresses: readonly Address[], signal: AbortSignal): Promise<AccountsAtSlot> {
    const config = { commitment: 'confirmed', encoding: 'base64', ...this.#minContextSlot() };
    const result = await this.#call('getMultipleAccounts', [addresses, config], signal);
    const read = readAccountsResult(result, addresses.length);
    this.#sawSlot(read.slot);
    return read;
  }

  async readBlockhash(signal: AbortSignal): Promise<FreshBlockhash> {
    if (this.#blockhash && this.isFresh(this.#blockhash)) return this.#blockhash;
    // One fetch serves every request that waits, so it runs to the attempt's own limit and not to any one's deadline.
    this.#pendingBlockhash ??= this.#fetchBlockhash().finally(() => {
      this.#pendingBlockhash = undefined;
    });
    return abortable(this.#pendingBlockhash, signal);
  }

  isFresh(blockhash: FreshBlockhash): boolean {
    return this.#options.now() - blockhash.receivedAt <= this.#options.blockhashMaxAgeMilliseconds;
  }

  async readRecentPrices(addresses: readonly Address[], signal: AbortSignal): Promise<readonly bigint[]> {
    const key = addresses.join();
    const known = this.#prices.get(key);
    if (known && this.#options.now() - known.receivedAt < pricesMemoryMilliseconds) return known.prices;
    const prices = readPricesResult(await this.#call('getRecentPrioritizationFees', [addresses], signal));
    const oldest = this.#prices.keys().next();
    if (this.#prices.size >= rememberedPrices && !oldest.done) this.#prices.delete(oldest.value);
    this.#prices.set(key, { prices, receivedAt: this.#options.now() });
    return prices;
  }

  async simulate(transaction: Uint8Array, signal: AbortSignal): Promise<Simulation> {
    const config = {
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      replaceRecentBlockhash: true,
      ...this.#minContextSlot(),
    };
    const base64 = Buffer.from(transaction).toString('base64');
    return readSimulationResult(await this.#call('simulateTransaction', [base64, config], signal));
  }

  async checkHealth(signal: AbortSignal): Promise<void> {
    const result = await this.#call('getHealth', [], signal);
    if (result !== 'ok') throw unavailable('it does not call itself healthy');
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #fetchBlockhash(): Promise<FreshBlockhash> {
    const config = { commitment: 'confirmed', ...this.#minContextSlot() };
    const result = await this.#call('getLatestBlockhash', [config], new AbortController().signal);
    const read = readBlockhashResult(result);
    this.#sawSlot(read.slot);
    this.#blockhash = { ...read, receivedAt: this.#options.now() };
    return this.#blockhash;
  }

  async #call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const answer = await this.#transport.call(method, params, signal);
    if ('error' in answer) throw nodeError(method, answer.error);
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

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(tooSlow(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
