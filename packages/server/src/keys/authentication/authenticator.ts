import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { checkApiKeyFormat, hashApiKey } from '../../app/api-key.ts';
import { clientNetworkOf } from '../../app/client-network.ts';
import { type ApiKeyRecord, apiKeyStatus } from '../api-key-record.ts';
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

/** The sender of a key. A request of Fastify is one. */
export interface Caller {
  /** The client's address, by which unknown keys are counted; a trusted proxy may report it. */
  ip: string;
  /** The peer of the connection, whatever a proxy reports: the sandbox key works only from loopback. */
  socket: { remoteAddress?: string | undefined };
}

/** The store and the clocks of an authenticator, and its reports. */
export interface AuthenticatorOptions {
  store: Pick<KeyRecords, 'findByHashes' | 'watchChanges'>;
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
/** Beyond that, keys of the network that are not remembered are looked up together, this far apart. */
const slowLookupMs = 100;

/** What the store said of a key. */
interface Answer {
  /** `invalid` for one that is not active. */
  verdict: KeyVerdict;
  /** Milliseconds since the Unix epoch; `Infinity` for never. */
  expiresAt: number;
  askedAt: number;
}

/** How many unknown keys a network has sent in the minute that began then. */
interface SentKeys {
  startedAt: number;
  count: number;
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
 * Checks API keys, and remembers the answers of the store for up to 5 s, less when the store reports a change.
 *
 * Keys are compared by their SHA-256: the time of a comparison reveals nothing about a key. A valid key is accepted however
 * many invalid ones come from its network; these wait, and get another refusal, after 60 a minute.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #now: () => number;
  readonly #lookups: KeyLookups;
  /** Valid keys and those that are being looked up. */
  readonly #answers: LRUCache<string, Answer>;
  /** Invalid keys, apart: no number of them displaces a valid one. */
  readonly #invalidKeys = new LRUCache<string, Answer>({ max: maxKeysRemembered });
  /** How many unknown keys each network has sent in its minute. */
  readonly #unknownKeys = new LRUCache<string, SentKeys>({ max: maxNetworksRemembered });
  #slowLookup: Promise<void> | undefined;
  /** When the store last reported a change that may be of any key. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #lastConfirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#now = advancingClock(options.now, options.elapsed);
    const { store, elapsed, onOutage, onRecovery } = options;
    this.#lookups = new KeyLookups({ read: (hashes) => store.findByHashes(hashes), elapsed, onOutage, onRecovery });
    this.#answers = new LRUCache({
      max: maxKeysRemembered,
      fetchMethod: (hash) => this.#lookUp(hash),
      allowStaleOnFetchRejection: true,
      // A change of a key takes its answer away; who waits for that answer asked before the change.
      ignoreFetchAbort: true,
    });
    store.watchChanges((hash) => {
      if (hash === undefined) this.#changedAt = elapsed();
      else for (const answers of [this.#answers, this.#invalidKeys]) answers.delete(hash);
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
    const format = checkApiKeyFormat(key);
    if (format !== 'ok') return { kind: format };
    const hash = hashApiKey(key);
    const answer = this.#answers.get(hash) ?? this.#invalidKeys.get(hash);
    if (answer && this.#isCurrent(answer)) {
      if (answer.verdict !== invalid && this.#ageOf(answer.askedAt) >= refreshAgeMs) void this.#refresh(hash);
      return this.#verdictOf(answer);
    }
    if (answer && this.#lookups.isDown && this.#isInGraceTime(answer)) {
      void this.#refresh(hash);
      return this.#verdictOf(answer);
    }
    return this.#ask(hash, caller);
  }

  async #ask(hash: string, { ip }: Caller): Promise<KeyVerdict> {
    const network = clientNetworkOf(ip);
    if ((this.#sentBy(network)?.count ?? 0) >= maxUnknownKeys) await this.#untilSlowLookup();
    const last = this.#answers.get(hash);
    const changedAt = this.#changedAt;
    let answer = await this.#refresh(hash);
    // The key was being looked up when the change was reported.
    if (answer !== last && answer && answer.askedAt <= changedAt) answer = await this.#refresh(hash);
    // The last answer is no new one: the store did not answer.
    if (answer === undefined || (answer === last && !this.#isInGraceTime(answer))) return unavailable;
    if (answer.verdict !== invalid) return this.#verdictOf(answer);
    this.#answers.delete(hash);
    this.#invalidKeys.set(hash, answer);
    return this.#refuseUnknown(network);
  }

  /** Asks the store, once for all who ask at the same time. Without an answer it resolves with the last one, if there is any. */
  #refresh(hash: string): Promise<Answer | undefined> {
    return this.#answers.fetch(hash, { forceRefresh: true });
  }

  async #lookUp(hash: string): Promise<Answer> {
    const { record, askedAt } = await this.#lookups.find(hash);
    if (record === undefined || apiKeyStatus(record, new Date(this.#now())) !== 'active') {
      return { verdict: invalid, expiresAt: Number.POSITIVE_INFINITY, askedAt };
    }
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, askedAt);
    const expiresAt = record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return { verdict: { kind: 'valid', key: toAuthenticatedKey(record) }, expiresAt, askedAt };
  }

  #refuseUnknown(network: string): KeyVerdict {
    const sent = this.#sentBy(network) ?? { startedAt: this.#options.elapsed(), count: 0 };
    sent.count += 1;
    this.#unknownKeys.set(network, sent);
    if (sent.count <= maxUnknownKeys) return invalid;
    const waitMs = unknownKeyWindowMs - this.#ageOf(sent.startedAt);
    return { kind: 'too_many_unknown_keys', retryAfterSeconds: Math.ceil(waitMs / 1000) };
  }

  #sentBy(network: string): SentKeys | undefined {
    const sent = this.#unknownKeys.get(network);
    return sent && this.#ageOf(sent.startedAt) < unknownKeyWindowMs ? sent : undefined;
  }

  /** Resolves for all who wait at the same time. */
  #untilSlowLookup(): Promise<void> {
    this.#slowLookup ??= sleep(slowLookupMs).then(() => {
      this.#slowLookup = undefined;
    });
    return this.#slowLookup;
  }

  #ageOf(askedAt: number): number {
    return this.#options.elapsed() - askedAt;
  }

  /** Whether an answer counts while the store answers. */
  #isCurrent({ askedAt }: Answer): boolean {
    return this.#ageOf(askedAt) < maxAgeMs && askedAt > this.#changedAt;
  }

  /** Whether a key is accepted while the store does not answer. */
  #isInGraceTime({ verdict, askedAt }: Answer): boolean {
    return verdict !== invalid && this.#ageOf(askedAt) < graceMs;
  }

  #verdictOf({ expiresAt, verdict }: Answer): KeyVerdict {
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
