import { LRUCache } from 'lru-cache';
import { apiKeyLength, checkApiKeyFormat, hashApiKey } from '../../app/api-key.ts';
import { type AuthenticatedKey, sandboxApiKey, sandboxKeyId, unrestricted } from '../authenticated-key.ts';
import { type ApiKeyRecord, apiKeyStatus, type KeyStore } from '../key-store.ts';
import { ActiveKeyList, type Listing } from './active-key-list.ts';
import { KeyChangeTimes, KeyLookups } from './key-lookups.ts';
import { type ReservedLookup, UnknownKeyLimit } from './unknown-key-limit.ts';

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

/** The sender of a key. A request of Fastify is one. */
export interface Caller {
  /** The client's address, by which unknown keys are counted; a trusted proxy may report it. */
  ip: string;
  /** The peer of the connection, whatever a proxy reports: the sandbox key works only from loopback. */
  socket: { remoteAddress?: string | undefined };
}

/** Checks API keys. */
export interface Authenticator {
  /** Checks a key: without a promise when it was used in the last seconds. Never throws or rejects. */
  authenticate(key: string, caller: Caller): KeyVerdict | Promise<KeyVerdict>;
  /** Whether keys are accepted from memory now, because the store does not answer. */
  isInGrace: boolean;
  /** Stops asking the store, and resolves once it may be closed. */
  close(): Promise<void>;
}

/** The store and the clocks of an authenticator, and its reports. */
export interface AuthenticatorOptions {
  store: Pick<KeyStore, 'findByHashes' | 'listActiveHashes' | 'watchChanges'>;
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

interface KnownKey {
  verdict: Extract<KeyVerdict, { kind: 'valid' }>;
  /** Milliseconds since the Unix epoch; `Infinity` for never. */
  expiresAt: number;
  confirmedAt: number;
  isBeingRefreshed: boolean;
}

const invalid: KeyVerdict = { kind: 'invalid' };
const unavailable: KeyVerdict = { kind: 'unavailable' };
const sandboxVerdict: KeyVerdict = {
  kind: 'valid',
  key: {
    id: sandboxKeyId,
    rootId: sandboxKeyId,
    name: 'sandbox',
    rateLimitPerMinute: null,
    restrictions: unrestricted,
  },
};

/**
 * Makes an authenticator that caches the answers of the store, for up to 5 s and less when the store reports a change.
 *
 * Keys are compared by their SHA-256. The time of a comparison reveals nothing about a key, since keys whose hashes begin alike
 * cannot be chosen. Invalid keys are cached apart, so that no number of them displaces a valid one. When a network has sent too
 * many invalid keys, its next ones are looked up in a list of the active keys: they cost no lookup in the store, and a valid
 * key is accepted however many invalid ones come from its network.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return new CachingAuthenticator(options);
}

class CachingAuthenticator implements Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #now: () => number;
  readonly #lookups: KeyLookups;
  readonly #hashes = new ConnectionHashes();
  // Read by `peek`, so that age alone decides what goes, and no request moves anything.
  readonly #known = new LRUCache<string, KnownKey>({ max: maxKeysRemembered });
  /** When the store last reported a key as invalid. */
  readonly #rejectedAt = new LRUCache<string, number>({ max: maxKeysRemembered });
  readonly #unknownKeyLimit = new UnknownKeyLimit();
  readonly #activeKeys: ActiveKeyList;
  readonly #changes = new KeyChangeTimes(maxKeysRemembered);
  #lastConfirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#now = advancingClock(options.now, options.elapsed);
    const { store, elapsed, onOutage, onRecovery } = options;
    this.#lookups = new KeyLookups({ read: (hashes) => store.findByHashes(hashes), elapsed, onOutage, onRecovery });
    const read = (maxKeys: number) => store.listActiveHashes(new Date(this.#now()), maxKeys);
    this.#activeKeys = new ActiveKeyList({ read, elapsed });
    store.watchChanges((hash) => this.#changes.note(hash, elapsed()));
  }

  get isInGrace(): boolean {
    return this.#lookups.isDown && this.#ageOf(this.#lastConfirmedAt) < graceMs;
  }

  async close(): Promise<void> {
    await Promise.all([this.#lookups.close(), this.#activeKeys.close()]);
  }

  authenticate(key: string, caller: Caller): KeyVerdict | Promise<KeyVerdict> {
    if (key === sandboxApiKey) {
      return this.#options.acceptsSandboxKey && isLoopback(caller.socket.remoteAddress) ? sandboxVerdict : invalid;
    }
    const hash = key.length === apiKeyLength ? this.#hashes.of(key, caller.socket) : '';
    const known = this.#known.peek(hash);
    if (known) return this.#checkKnown(hash, known);

    const format = checkApiKeyFormat(key);
    if (format !== 'ok') return { kind: format };
    if (this.#isCurrent(hash, this.#rejectedAt.peek(hash) ?? Number.NEGATIVE_INFINITY)) return invalid;
    // A key that is being looked up costs no further lookup.
    if (this.#lookups.isFinding(hash)) return this.#ask(hash, undefined);
    const reserved = this.#unknownKeyLimit.reserve(caller.ip, this.#options.elapsed());
    if (reserved) return this.#ask(hash, undefined, reserved);
    if (!this.#lookups.isAsking) return unavailable;
    const listing = this.#activeKeys.find(hash, this.#changes.latest);
    if (!(listing instanceof Promise)) return this.#checkListing(listing, hash, caller);
    return listing.then((found) => this.#checkListing(found, hash, caller));
  }

  /** Checks a key of a network without lookups left: a listed key is looked up all the same, since it is valid. */
  #checkListing(listing: Listing, hash: string, caller: Caller): KeyVerdict | Promise<KeyVerdict> {
    if (listing === 'listed') return this.#ask(hash, undefined);
    if (listing === 'unavailable') return unavailable;
    const retryAfterSeconds = this.#unknownKeyLimit.waitSeconds(caller.ip, this.#options.elapsed());
    if (retryAfterSeconds > 0) return { kind: 'too_many_unknown_keys', retryAfterSeconds };
    // This network has lookups left: other networks have used up the common ones.
    return listing === 'not_listed' ? invalid : this.#ask(hash, undefined);
  }

  #checkKnown(hash: string, known: KnownKey): KeyVerdict | Promise<KeyVerdict> {
    const isCurrent = this.#isCurrent(hash, known.confirmedAt);
    if (!isCurrent && !(this.#lookups.isDown && this.#isInGrace(hash, known))) return this.#ask(hash, known);
    const isDue = !isCurrent || this.#ageOf(known.confirmedAt) >= refreshAgeMs;
    if (isDue && !known.isBeingRefreshed && this.#lookups.isAsking) {
      known.isBeingRefreshed = true;
      void this.#ask(hash, known).then(() => {
        known.isBeingRefreshed = false;
      });
    }
    return this.#verdictOf(known);
  }

  #ageOf(confirmedAt: number): number {
    return this.#options.elapsed() - confirmedAt;
  }

  /** Whether an answer of the store counts while the store answers. */
  #isCurrent(hash: string, confirmedAt: number): boolean {
    return this.#ageOf(confirmedAt) < maxAgeMs && confirmedAt > this.#changes.staleUpTo(hash);
  }

  /** Whether a key is accepted while the store does not answer. A changed key is not, since it may be revoked. */
  #isInGrace(hash: string, { confirmedAt }: KnownKey): boolean {
    const isChanged = confirmedAt <= this.#changes.ofKey(hash);
    return !isChanged && this.#ageOf(confirmedAt) < graceMs;
  }

  async #ask(hash: string, known: KnownKey | undefined, reserved?: ReservedLookup): Promise<KeyVerdict> {
    const { found, askedAt } = await this.#lookups.find(hash, this.#changes.staleUpTo(hash));
    if (found === 'unavailable') {
      reserved?.giveBack();
      return known && this.#isInGrace(hash, known) ? this.#verdictOf(known) : unavailable;
    }
    if (found !== 'unknown' && apiKeyStatus(found, new Date(this.#now())) === 'active') {
      reserved?.giveBack();
      return this.#accept(hash, found, askedAt);
    }
    this.#known.delete(hash);
    this.#rejectedAt.set(hash, askedAt);
    return invalid;
  }

  #accept(hash: string, record: ApiKeyRecord, askedAt: number): KeyVerdict {
    const known: KnownKey = {
      verdict: { kind: 'valid', key: toAuthenticatedKey(record) },
      expiresAt: record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      confirmedAt: askedAt,
      isBeingRefreshed: false,
    };
    this.#known.set(hash, known);
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, askedAt);
    return known.verdict;
  }

  #verdictOf({ expiresAt, verdict }: KnownKey): KeyVerdict {
    return expiresAt === Number.POSITIVE_INFINITY || this.#now() < expiresAt ? verdict : invalid;
  }
}

function toAuthenticatedKey({ id, rootId, name, rateLimitPerMinute, restrictions }: ApiKeyRecord): AuthenticatedKey {
  return { id, rootId, name, rateLimitPerMinute, restrictions };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Remembers the hash of the last key of each connection: hashing takes longer than everything else that checks a key.
 *
 * The text is kept no longer than its connection.
 */
export class ConnectionHashes {
  readonly #last = new WeakMap<object, { key: string; hash: string }>();

  /** Returns the hash of a key that a connection brings. */
  of(key: string, connection: object): string {
    const last = this.#last.get(connection);
    if (last && isSameText(last.key, key)) return last.hash;
    const hash = hashApiKey(key);
    this.#last.set(connection, { key, hash });
    return hash;
  }
}

// Compares every character: a proxy's connection carries the keys of many callers, and the time must not tell one caller how
// much of its key is the same as another's.
function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
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
