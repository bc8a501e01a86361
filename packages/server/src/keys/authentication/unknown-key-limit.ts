import { LRUCache } from 'lru-cache';
import { clientNetworkOf } from '../../app/client-network.ts';

const windowMs = 60_000;
/** Far more than a client with a wrong key sends; each one costs the store a read. */
const maxLookupsPerNetwork = 60;
/** For all networks together: an attacker may have thousands. */
const maxLookups = 600;
const maxNetworks = 10_000;

interface Window {
  startedAt: number;
  lookups: number;
}

/** A lookup that was counted before it began. */
export interface ReservedLookup {
  /** Returns it to the budget: the key is valid, or the store did not answer. */
  giveBack(): void;
}

/**
 * Limits the lookups of keys that turn out to be invalid: 60 a minute for each client network, 600 for all together.
 *
 * Each is reserved before it begins, so that concurrent lookups do not exceed the limit either. Times are readings of a
 * monotonic clock, in milliseconds.
 */
export class UnknownKeyLimit {
  readonly #windows = new LRUCache<string, Window>({ max: maxNetworks });
  #total: Window = { startedAt: Number.NEGATIVE_INFINITY, lookups: 0 };

  /** Reserves one lookup for a client's address; `undefined` when its network, or all together, have none left. */
  reserve(address: string, at: number): ReservedLookup | undefined {
    const network = clientNetworkOf(address);
    let window = this.#windows.peek(network);
    if (window === undefined || hasEnded(window, at)) window = { startedAt: at, lookups: 0 };
    if (hasEnded(this.#total, at)) this.#total = { startedAt: at, lookups: 0 };
    if (window.lookups >= maxLookupsPerNetwork || this.#total.lookups >= maxLookups) return undefined;
    if (window.lookups === 0) this.#windows.set(network, window);
    const windows = [window, this.#total];
    for (const counted of windows) counted.lookups += 1;
    return {
      giveBack() {
        for (const counted of windows) counted.lookups -= 1;
      },
    };
  }

  /** Returns the seconds until the network of an address has a lookup again; 0 when it has one now. */
  waitSeconds(address: string, at: number): number {
    const window = this.#windows.peek(clientNetworkOf(address));
    if (window === undefined || window.lookups < maxLookupsPerNetwork) return 0;
    return Math.max(0, Math.ceil((window.startedAt + windowMs - at) / 1000));
  }
}

function hasEnded({ startedAt }: Window, at: number): boolean {
  return at - startedAt >= windowMs;
}
