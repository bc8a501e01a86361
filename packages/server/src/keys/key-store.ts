import type { KeyRestrictions } from './authenticated-key.ts';

/** The settings of a key, which can be changed later. */
export interface KeySettings {
  /** The user or the client of the key; several keys may share a name. */
  name: string;
  /** The first moment at which the key no longer works; `null` when it never expires. */
  expiresAt: Date | null;
  /** Requests per minute; 0 for no limit, `null` for the limit of the configuration. */
  rateLimitPerMinute: number | null;
  restrictions: KeyRestrictions;
}

/** An API key as it is stored: everything except the key itself. */
export interface ApiKeyRecord extends KeySettings {
  /** `key_` and 16 hex digits; never reused. */
  id: string;
  /** The id of the first key of its chain of rotations: its own when it was not made by `rotate`. */
  rootId: string;
  /** `swk_` and the next few characters of the key, which may be shown. */
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
  /** The time of the last request with it, some seconds late; `null` before the first. */
  lastUsedAt: Date | null;
}

/** A new key. Its text is known only now. */
export interface CreatedApiKey {
  record: ApiKeyRecord;
  key: string;
}

/** A new key that replaces another, which stops at once or after an overlap. */
export interface RotatedApiKey extends CreatedApiKey {
  replaced: ApiKeyRecord;
  /** How many payment links of the replaced key were canceled with it. */
  closedLinks: number;
}

/** A key that was stopped. */
export interface RevokedApiKey extends ApiKeyRecord {
  /** How many of its payment links were canceled with it. */
  closedLinks: number;
}

/** What else happens when a key is revoked or replaced. */
export interface KeyEnding {
  /** Whether the open payment links that it made, on all ledgers, are canceled. */
  closesLinks?: boolean;
}

/** The number of requests of a key on one day with one outcome. */
export interface KeyUsage {
  keyId: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  /** `built`, or the code of the refusal. */
  outcome: string;
  requests: number;
}

/** The amount that a key built of a mint on one day. */
export interface DailyAmount {
  /** The id of the key on its ledger, as `idOnLedger` makes it. */
  keyId: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  mint: string;
  /** Base units, from 1 to 2^64-1. */
  amount: bigint;
}

/** Usage to be added to the store. */
export interface UsageBatch {
  /** The id of the process that adds it. */
  writer: string;
  /** The number of this batch among the writer's; every attempt to add it has the same one. */
  number: number;
  usage: readonly KeyUsage[];
  /** Milliseconds since the Unix epoch at which each key was used last, by its id. */
  lastUsedAt: ReadonlyMap<string, number>;
}

/** Stores API keys by their hash. Every call reads the store itself, so that it sees the changes of other processes at once. */
export interface KeyStore {
  /** Makes a key and stores its hash; the text cannot be recovered. A setting that is left out does not limit the key. */
  create(input: Pick<KeySettings, 'name' | 'expiresAt'> & Partial<KeySettings>): Promise<CreatedApiKey>;
  /** All keys, the oldest first, revoked and expired ones included. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** The keys with this id or name, the oldest first, revoked and expired ones included. */
  find(idOrName: string): Promise<readonly ApiKeyRecord[]>;
  /** Changes the settings that are given; `undefined` when no key has this id or it was revoked. */
  update(id: string, changes: Partial<KeySettings>): Promise<ApiKeyRecord | undefined>;
  /** Stops a key for good; `undefined` when no key has this id or it was revoked before. */
  revoke(id: string, ending?: KeyEnding): Promise<RevokedApiKey | undefined>;
  /**
   * Replaces an active key by a new one of the same settings, both or neither; `undefined` when no active key has this id.
   *
   * The old one is revoked, or with an overlap expires that many milliseconds from now, if it does not before.
   */
  rotate(id: string, overlapMs?: number, ending?: KeyEnding): Promise<RotatedApiKey | undefined>;
  /** The changes to keys that were recorded with them, the oldest first. */
  listChanges(query: KeyChangeQuery): Promise<readonly KeyChange[]>;
  /** The ids of the keys whose creation is recorded: other keys are older than the record. */
  listRecordedKeys(): Promise<ReadonlySet<string>>;
  /** The keys with these SHA-256s (lower-case hex), by hash, revoked and expired ones included. */
  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>>;
  /** Whether any key would be accepted at `now`. */
  hasActiveKey(now: Date): Promise<boolean>;
  /** Adds a batch of usage, all of it or nothing, and once however often it is tried. */
  addUsage(batch: UsageBatch): Promise<void>;
  /** The usage of a key on a day (`2026-11-21`), by outcome. */
  findUsage(keyId: string, day: string): Promise<readonly KeyUsage[]>;
  /** The usage from a day on (`2026-11-21`), by day, key and outcome. */
  listUsage(fromDay: string): Promise<readonly KeyUsage[]>;
  /**
   * Adds an amount to the sum of a key, a mint and a day, unless it would exceed the limit; returns whether it was added.
   *
   * Exact when other processes add at the same time. Rejects when the store does not answer; when only the answer was lost,
   * the amount has been added.
   */
  addDailyAmount(added: DailyAmount, limit: bigint): Promise<boolean>;
  /** The sums of a key on a ledger (by the id that `idOnLedger` makes) and a day, in base units by mint. */
  findDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>>;
  /** The same of a key on all ledgers: of each mint the highest, since each ledger has a limit of its own. */
  findHighestDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>>;
  /** Deletes some of the sums of all days before a day, and returns how many: 0 when none are left. */
  pruneDailyAmounts(day: string): Promise<number>;
  /** The same of the usage. */
  pruneUsage(day: string): Promise<number>;
  /**
   * Calls `onChange` after a key was changed through this store, or as soon as a change of another process is noticed: with
   * the hash of the key, or without one when it may be any key.
   *
   * A change of another process may go unnoticed, so an answer of the store must not be used for more than seconds.
   */
  watchChanges(onChange: (hash?: string) => void): void;
}

/** Returns `active` when a key is accepted at `now`, otherwise the reason; a key both expired and revoked is `revoked`. */
export function apiKeyStatus(record: ApiKeyRecord, now: Date): 'active' | 'expired' | 'revoked' {
  if (record.revokedAt !== null) return 'revoked';
  if (record.expiresAt !== null && record.expiresAt <= now) return 'expired';
  return 'active';
}

/** Who runs a command that changes keys, as the system says; `null` where it does not. */
export interface ChangeAuthor {
  user: string | null;
  /** The user who became `user` by `sudo`. */
  sudoUser: string | null;
  host: string | null;
}

/** The author of a change when nothing is known about them. */
export const unknownAuthor: ChangeAuthor = { user: null, sudoUser: null, host: null };

/** What was changed: a setting by its name, before and after, as JSON. */
export type ChangedSettings = Readonly<Record<string, { from: unknown; to: unknown }>>;

/** A change to a key, as it was recorded together with it. */
export interface KeyChange {
  at: Date;
  action: 'created' | 'updated' | 'revoked' | 'rotated';
  keyId: string;
  /** The key that replaces it, where it was rotated. */
  newKeyId: string | null;
  /** The name that the key had until then. */
  name: string;
  changes: ChangedSettings;
  author: ChangeAuthor;
}

/** Which changes to return: of these keys and of keys that had this name then; all when both are left out. */
export interface KeyChangeQuery {
  keyIds?: readonly string[];
  name?: string;
  /** How many at most: the newest. */
  limit: number;
}
