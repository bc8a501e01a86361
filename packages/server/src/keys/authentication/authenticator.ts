import { apiKeyLength, checkApiKeyFormat, hashApiKey } from '../api-key.ts';
import { type AuthenticatedKey, unrestricted } from '../authenticated-key.ts';
import { sandboxApiKey, sandboxKeyId } from '../sandbox-key.ts';
import { type ApiKeyRecord, apiKeyStatus, type KeyStore } from '../store/key-store.ts';
import { ActiveKeyList, type Listing } from './active-key-list.ts';
import { advancingClock } from './advancing-clock.ts';
import { BoundedMap } from './bounded-map.ts';
import { KeyLookups } from './key-lookups.ts';
import { type ReservedLookup, UnknownKeyLimit } from './unknown-key-limit.ts';

/**
 * What a key is worth.
 *
 * - `invalid`: unknown, revoked or expired, which look the same to the caller.
 * - `unavailable`: the store cannot be asked, and the key was not accepted lately.
 * - `too_many_unknown_keys`: it is not among the active keys, and the caller's network sent too many such.
 */
export type KeyVerdict =
  | { kind: 'valid'; key: AuthenticatedKey }
  | { kind: 'not_a_key' | 'checksum_mismatch' | 'invalid' | 'unavailable' }
  | { kind: 'too_many_unknown_keys'; retryAfterSeconds: number };

/** Who sends a key. A request of Node's or Fastify's is one. */
export interface Caller {
  /** The address that unknown keys are counted by: of the client, also behind a proxy that is trusted. */
  ip: string;
  /** The peer itself, whatever a proxy's header says: the sandbox key is for the machine's own. */
  socket: { remoteAddress?: string | undefined };
}

/** Says whether a key may use the service now. */
export interface Authenticator {
  /** Answers at once, without a promise, for a key that was used in the last seconds. Never throws nor rejects. */
  authenticate(key: string, caller: Caller): KeyVerdict | Promise<KeyVerdict>;
  /** Whether keys are accepted from memory now, because the store cannot be asked. */
  isInGrace: boolean;
  /** Asks the store nothing more, and resolves once it may be closed. */
  close(): Promise<void>;
}

/** What an authenticator of stored keys stands on. */
export interface AuthenticatorOptions {
  store: Pick<KeyStore, 'findByHashes' | 'listActiveHashes' | 'watchChanges'>;
  /** Whether the well-known sandbox key is accepted from loopback. */
  acceptsSandboxKey: boolean;
  /** How long after its last answer the store may be away before the keys it confirmed are refused. */
  graceMs: number;
  /** Milliseconds since the Unix epoch: what expiry is judged by, and never goes back for that even if it is set back. */
  now: () => number;
  /** Milliseconds on a clock that is never set: what ages are measured by. */
  elapsed: () => number;
  /** Told once when the store stops answering, with its error. */
  onOutage: (error: unknown) => void;
  /** Told once when it answers again. */
  onRecovery: () => void;
}

/** A key in use is asked for again at this age, while the answer that is there still counts: no request waits. */
const refreshAgeMs = 2000;
/** The oldest answer that counts while the store can be asked: a revoked key works this long at most. */
const maxAgeMs = 5000;
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
  key: { id: sandboxKeyId, name: 'sandbox', rateLimitPerMinute: null, restrictions: unrestricted },
};

/**
 * Makes an authenticator that remembers what the store said, for 5 s at most and less when the store tells of a change.
 *
 * Keys are compared by their SHA-256: how long a comparison of hashes takes tells nothing of a key, since nobody can choose
 * keys whose hashes begin alike. Keys that are no good are remembered apart: no number of them displaces a good one. A network
 * that has sent too many of those has its next ones judged by a list of the active keys: they cost no lookup, and a good key is
 * taken however many bad ones its network sends.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return new CachingAuthenticator(options);
}

class CachingAuthenticator implements Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #now: () => number;
  readonly #lookups: KeyLookups;
  readonly #known = new BoundedMap<string, KnownKey>(maxKeysRemembered);
  /** When the store last said of a key that it is no good. */
  readonly #rejectedAt = new BoundedMap<string, number>(maxKeysRemembered);
  readonly #unknownKeyLimit = new UnknownKeyLimit();
  readonly #activeKeys: ActiveKeyList;
  /** What the store said up to here may have changed: of any key, and of these. */
  #changedAt = Number.NEGATIVE_INFINITY;
  readonly #changedKeys = new BoundedMap<string, number>(maxKeysRemembered);
  /** When the store last told of any change. */
  #toldAt = Number.NEGATIVE_INFINITY;
  #lastConfirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#now = advancingClock(options.now, options.elapsed);
    const { store, elapsed, onOutage, onRecovery } = options;
    this.#lookups = new KeyLookups({ read: (hashes) => store.findByHashes(hashes), elapsed, onOutage, onRecovery });
    const read = (maxKeys: number) => store.listActiveHashes(new Date(this.#now()), maxKeys);
    this.#activeKeys = new ActiveKeyList({ read, elapsed });
    store.watchChanges((hash) => {
      this.#toldAt = elapsed();
      if (hash === undefined) this.#changedAt = this.#toldAt;
      else this.#changedKeys.set(hash, this.#toldAt);
    });
  }

  get isInGrace(): boolean {
    return this.#lookups.isDown && this.#ageOf(this.#lastConfirmedAt) < this.#options.graceMs;
  }

  async close(): Promise<void> {
    await Promise.all([this.#lookups.close(), this.#activeKeys.close()]);
  }

  authenticate(key: string, caller: Caller): KeyVerdict | Promise<KeyVerdict> {
    if (key === sandboxApiKey) {
      return this.#options.acceptsSandboxKey && isLoopback(caller.socket.remoteAddress) ? sandboxVerdict : invalid;
    }
    const hash = key.length === apiKeyLength ? hashApiKey(key) : '';
    const known = this.#known.get(hash);
    if (known) return this.#judgeKnown(hash, known);

    const format = checkApiKeyFormat(key);
    if (format !== 'ok') return { kind: format };
    if (this.#isCurrent(hash, this.#rejectedAt.get(hash) ?? Number.NEGATIVE_INFINITY)) return invalid;
    // One that is being looked up costs nothing more.
    if (this.#lookups.isFinding(hash)) return this.#ask(hash, undefined);
    const reserved = this.#unknownKeyLimit.reserve(caller.ip, this.#options.elapsed());
    if (reserved) return this.#ask(hash, undefined, reserved);
    if (!this.#lookups.isAsking) return unavailable;
    const listing = this.#activeKeys.find(hash, this.#toldAt);
    if (!(listing instanceof Promise)) return this.#judgeListing(listing, hash, caller);
    return listing.then((found) => this.#judgeListing(found, hash, caller));
  }

  /** Judges a key for which no lookup was left: one that is listed has one all the same, for it is good. */
  #judgeListing(listing: Listing, hash: string, caller: Caller): KeyVerdict | Promise<KeyVerdict> {
    if (listing === 'listed') return this.#ask(hash, undefined);
    if (listing === 'unavailable') return unavailable;
    const retryAfterSeconds = this.#unknownKeyLimit.secondsToWait(caller.ip, this.#options.elapsed());
    if (retryAfterSeconds > 0) return { kind: 'too_many_unknown_keys', retryAfterSeconds };
    // Other networks used all lookups up, which is not this one's fault.
    return listing === 'not_listed' ? invalid : this.#ask(hash, undefined);
  }

  #judgeKnown(hash: string, known: KnownKey): KeyVerdict | Promise<KeyVerdict> {
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

  /** Whether an answer of the store counts while the store can be asked. */
  #isCurrent(hash: string, confirmedAt: number): boolean {
    return (
      this.#ageOf(confirmedAt) < maxAgeMs &&
      confirmedAt > this.#changedAt &&
      confirmedAt > (this.#changedKeys.get(hash) ?? Number.NEGATIVE_INFINITY)
    );
  }

  /** Whether a key counts while the store is away; one that is known to be changed, and so perhaps revoked, does not. */
  #isInGrace(hash: string, { confirmedAt }: KnownKey): boolean {
    const isChanged = confirmedAt <= (this.#changedKeys.get(hash) ?? Number.NEGATIVE_INFINITY);
    return !isChanged && this.#ageOf(confirmedAt) < this.#options.graceMs;
  }

  async #ask(hash: string, known: KnownKey | undefined, reserved?: ReservedLookup): Promise<KeyVerdict> {
    const changedAt = Math.max(this.#changedAt, this.#changedKeys.get(hash) ?? Number.NEGATIVE_INFINITY);
    const { found, askedAt } = await this.#lookups.find(hash, changedAt);
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

function toAuthenticatedKey({ id, name, rateLimitPerMinute, restrictions }: ApiKeyRecord): AuthenticatedKey {
  return { id, name, rateLimitPerMinute, restrictions };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}
