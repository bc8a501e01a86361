import { BoundedMap } from './bounded-map.ts';

const windowMilliseconds = 60_000;
/** Far more than a client with a wrong key needs to notice it; each one costs the store a read. */
const unknownKeysPerWindow = 60;
const addressesRemembered = 10_000;
/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255` */
const longestAddress = 45;

interface Window {
  readonly startedAt: number;
  unknownKeys: number;
}

/**
 * Counts the keys that turned out to be no good, by the address that sent them: 60 different ones a minute.
 *
 * Remembers 10,000 addresses; those of one IPv6 subnet (/64), which one host can have all of, count as one.
 */
export class UnknownKeyLimit {
  readonly #windows = new BoundedMap<string, Window>(addressesRemembered);

  /** Counts one more; `at` is a reading of a monotonic clock, in milliseconds. */
  count(address: string, at: number): void {
    const network = networkOf(address);
    const window = this.#windows.get(network);
    if (window && at - window.startedAt < windowMilliseconds) window.unknownKeys += 1;
    else this.#windows.set(network, { startedAt: at, unknownKeys: 1 });
  }

  /** Seconds until the address may have another unknown key looked up; 0 when it may now. */
  secondsToWait(address: string, at: number): number {
    const window = this.#windows.get(networkOf(address));
    if (!window || window.unknownKeys < unknownKeysPerWindow) return 0;
    return Math.max(0, Math.ceil((window.startedAt + windowMilliseconds - at) / 1000));
  }
}

function networkOf(address: string): string {
  // Behind a proxy it is what the proxy wrote, which could be of any length.
  if (address.length > longestAddress) return address.slice(0, longestAddress);
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
