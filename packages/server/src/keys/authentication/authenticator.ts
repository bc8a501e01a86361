import { LRUCache } from 'lru-cache';
import { checkApiKeyFormat, hashApiKey } from '../../app/api-key.ts';
import { clientNetworkOf } from '../../app/client-network.ts';
import { apiKeyStatus } from '../api-key-record.ts';
import { type AuthenticatedKey, sandboxApiKey, sandboxKeyId, unrestricted } from '../authenticated-key.ts';
import type { KeyRecords } from '../records/key-records.ts';
import { KeyLookups } from './key-lookups.ts';

/**
 * The result of checking a key.
 *
 * - `invalid`: unknown, revoked or expired, which look the same to the caller.
 * - `unavailable`: the store does not answer, and the key was not accepted lately.
 * - `too_many_unknown_keys`: it is not an active key, and the caller's network sent too many of those.
 */
export type KeyVerdict =
  | { kind: 'valid'; key: AuthenticatedKey }
  | { kind: 'not_a_key' | 'checksum_mismatch' | 'invalid' | 'unavailable' }
  | { kind: 'too_many_unknown_keys'; retryAfterSeconds: number };

/** The result of checking a key that is not accepted. */
export type KeyRefusal = Exclude<KeyVerdict, { kind: 'valid' }>;

/** The sender of a key. A request of Fastify is one. */
export interface Caller {
  /** The client's address, by which unknown keys are counted; a trusted proxy may report it. */
  ip: string;
  /** The peer of the connection, whatever a proxy reports: the sandbox key works only from loopback. */
  socket: { remoteAddress?: string | undefined };
}

/** The store and the clocks of an authenticator, and its reports. */
export interface AuthenticatorOptions {
  store: Pick<KeyRecords, 'findByHashes'>;
  /** Whether the well-known sandbox key is accepted from loopback. */
  acceptsSandboxKey: boolean;
  /** The wall clock in milliseconds since the Unix epoch, which decides expiry; an expired key stays expired when it is set back. */
  now: () => number;
  /** The monotonic clock in milliseconds, which measures ages. */
  elapsed: () => number;
  /** Called once when the store stops answering, with its error. */
  onOutage: (error: unknown) => void;
  /** Called once when it answers again. */
  onRecovery: () => void;
}

/** A key in use is looked up again at this age, while its last answer still counts: no request waits for it. */
const refreshAgeMs = 2000;
/** The age up to which an answer counts while the store answers: a revoked key works no longer than this. */
const maxAgeMs = 5000;
/** How long a key is accepted after its last confirmation while the store does not answer. */
const graceMs = 600_000;
const maxKeysRemembered = 10_000;

/** How many unknown keys of one network are answered like any other in a minute. */
const maxUnknownKeys = 60;
const unknownKeyWindowMs = 60_000;
const maxNetworksRemembered = 10_000;

/** The store's answer about a key. */
interface Answer {
  /** `undefined` for a key that is unknown, revoked or expired. */
  key: AuthenticatedKey | undefined;
  /** Milliseconds since the Unix epoch; `Infinity` for never. */
  expiresAt: number;
  askedAt: number;
}

const invalid: KeyRefusal = { kind: 'invalid' };
const unavailable: KeyVerdict = { kind: 'unavailable' };
const sandboxVerdict: KeyVerdict = {
  kind: 'valid',
  key: {
    id: sandboxKeyId,
    rootId: sandboxKeyId,
    name: 'sandbox',
    rateLimitPerMinute: null,
    restrictions: { ...unrestricted, sponsorsRent: true },
  },
};

/**
 * Checks API keys, and remembers the answers of the store for up to 5 s.
 *
 * Keys are compared by their SHA-256: the time of a comparison reveals nothing about a key. A valid key is accepted however
 * many invalid ones come from its network; these get another refusal after 60 a minute.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #now: () => number;
  readonly #lookups: KeyLookups;
  /** Valid keys and those that are being looked up. */
  readonly #answers: LRUCache<string, Answer>;
  /** Invalid keys, apart: no number of them displaces a valid one. */
  readonly #invalidKeys: LRUCache<string, true>;
  /** How many unknown keys each network has sent in the minute that began with the first. */
  readonly #unknownKeys: LRUCache<string, number>;
  #lastConfirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#now = advancingClock(options.now, options.elapsed);
    const { store, elapsed, onOutage, onRecovery } = options;
    this.#lookups = new KeyLookups({ read: (hashes) => store.findByHashes(hashes), elapsed, onOutage, onRecovery });
    this.#answers = new LRUCache({
      max: maxKeysRemembered,
      fetchMethod: (hash, answer) => this.#lookUp(hash, answer?.key !== undefined),
      allowStaleOnFetchRejection: true,
      // One that is displaced meanwhile is still answered.
      ignoreFetchAbort: true,
    });
    const clock = { perf: { now: elapsed }, ttlResolution: 0 };
    this.#invalidKeys = new LRUCache({ max: maxKeysRemembered, ttl: maxAgeMs, ...clock });
    this.#unknownKeys = new LRUCache({
      max: maxNetworksRemembered,
      ttl: unknownKeyWindowMs,
      noUpdateTTL: true,
      ...clock,
    });
  }

  /** Whether keys are accepted from memory now, because the store does not answer. */
  get isInGrace(): boolean {
    return this.#lookups.isDown && this.#ageOf(this.#lastConfirmedAt) < graceMs;
  }

  /** Stops asking the store, and resolves once it may be closed. */
  close(): Promise<void> {
    return this.#lookups.close();
  }

  /** Checks a key: without a promise when it was used in the last seconds. Never throws or rejects. */
  authenticate(key: string, caller: Caller): KeyVerdict | Promise<KeyVerdict> {
    if (key === sandboxApiKey) {
      return this.#options.acceptsSandboxKey && isLoopback(caller.socket.remoteAddress) ? sandboxVerdict : invalid;
    }
    const hash = hashApiKey(key);
    const answer = this.#answers.get(hash);
    if (!answer) {
      const format = checkApiKeyFormat(key);
      if (format !== 'ok') return { kind: format };
      return this.#invalidKeys.has(hash) ? invalid : this.#ask(hash, caller);
    }
    const ageMs = this.#ageOf(answer.askedAt);
    if (ageMs >= (this.#lookups.isDown ? graceMs : maxAgeMs)) return this.#ask(hash, caller);
    if (ageMs >= refreshAgeMs) void this.#refresh(hash);
    return this.#verdictOf(answer);
  }

  /** Counts an unknown key of the network of a client's address, and returns how it is refused. */
  refuseUnknown(ip: string): KeyRefusal {
    const network = clientNetworkOf(ip);
    const count = (this.#unknownKeys.get(network) ?? 0) + 1;
    this.#unknownKeys.set(network, count);
    if (count <= maxUnknownKeys) return invalid;
    const waitMs = this.#unknownKeys.getRemainingTTL(network);
    return { kind: 'too_many_unknown_keys', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }

  async #ask(hash: string, { ip }: Caller): Promise<KeyVerdict> {
    const answer = await this.#refresh(hash);
    // While the store does not answer it is the last answer.
    if (answer === undefined || this.#ageOf(answer.askedAt) >= graceMs) return unavailable;
    return answer.key ? this.#verdictOf(answer) : this.refuseUnknown(ip);
  }

  /** Asks the store, once for all who ask at the same time. Without an answer it resolves with the last one, if there is any. */
  async #refresh(hash: string): Promise<Answer | undefined> {
    const answer = await this.#answers.fetch(hash, { forceRefresh: true });
    if (answer && !answer.key) {
      this.#answers.delete(hash);
      this.#invalidKeys.set(hash, true, { start: answer.askedAt });
    }
    return answer;
  }

  async #lookUp(hash: string, isInUse: boolean): Promise<Answer> {
    const askedAt = this.#options.elapsed();
    const record = await this.#lookups.find(hash, isInUse);
    if (record === undefined || apiKeyStatus(record, new Date(this.#now())) !== 'active') {
      return { key: undefined, expiresAt: Number.POSITIVE_INFINITY, askedAt };
    }
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, askedAt);
    const { id, rootId, name, rateLimitPerMinute, restrictions } = record;
    const key = { id, rootId, name, rateLimitPerMinute, restrictions };
    return { key, expiresAt: record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, askedAt };
  }

  #ageOf(askedAt: number): number {
    return this.#options.elapsed() - askedAt;
  }

  #verdictOf({ expiresAt, key }: Answer): KeyVerdict {
    return key && this.#now() < expiresAt ? { kind: 'valid', key } : invalid;
  }
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Makes a clock that follows `now` and never goes back: when `now` is set back, it advances with `elapsed`.
 *
 * An expired key therefore stays expired. `now` is in milliseconds since the Unix epoch, `elapsed` is the monotonic clock in
 * milliseconds.
 */
export function advancingClock(now: () => number, elapsed: () => number): () => number {
  let newest = Number.NEGATIVE_INFINITY;
  let readAt = elapsed();
  return () => {
    const at = elapsed();
    newest = Math.max(now(), newest + (at - readAt));
    readAt = at;
    return newest;
  };
}
