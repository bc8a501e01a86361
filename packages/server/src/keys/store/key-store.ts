import type { KeyRestrictions } from '../authenticated-key.ts';

/** What can be chosen of a key, and changed later. */
export interface KeySettings {
  /** Who or what uses the key; several keys may share a name. */
  name: string;
  /** The first moment at which the key no longer works; `null` when it never expires. */
  expiresAt: Date | null;
  /** Requests per minute; 0 for no limit, `null` for what the configuration says. */
  rateLimitPerMinute: number | null;
  restrictions: KeyRestrictions;
}

/** What a store knows of an API key: everything but the key itself. */
export interface ApiKeyRecord extends KeySettings {
  /** `key_` and 16 hex digits; never reused. */
  id: string;
  /** `swk_` and the next few characters of the key, to show to people. */
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
  /** The time of the last request with it, some seconds late; `null` before the first. */
  lastUsedAt: Date | null;
}

/** A key just made: the only time that its text is known. */
export interface CreatedApiKey {
  record: ApiKeyRecord;
  key: string;
}

/** A key just made in place of another, which no longer works, or not for long. */
export interface RotatedApiKey extends CreatedApiKey {
  replaced: ApiKeyRecord;
}

/** How many requests of a key came out one way on one day. */
export interface KeyUsage {
  keyId: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  /** `built`, or the code of the refusal. */
  outcome: string;
  requests: number;
}

/** What a key built of a mint on one day. */
export interface DailyAmount {
  keyId: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  mint: string;
  /** Base units, from 1 to 2^64-1. */
  amount: bigint;
}

/** Usage to be added to what is stored. */
export interface UsageBatch {
  /** Who adds it: one process, for as long as it runs. */
  writer: string;
  /** Counts the writer's batches; the same for every attempt to add this one. */
  number: number;
  usage: readonly KeyUsage[];
  /** Milliseconds since the Unix epoch at which each key was used last, by its id. */
  lastUsedAt: ReadonlyMap<string, number>;
}

/** Keeps API keys by their hash; every call reads the store itself, so that another process's change is seen at once. */
export interface KeyStore {
  /** Makes a key and stores its hash; the key's text cannot be had again. What is left out is not limited. */
  create(input: Pick<KeySettings, 'name' | 'expiresAt'> & Partial<KeySettings>): Promise<CreatedApiKey>;
  /** All keys, the oldest first, revoked and expired ones included. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** The keys with this id or name, the oldest first, revoked and expired ones included. */
  find(idOrName: string): Promise<readonly ApiKeyRecord[]>;
  /** Changes the settings that are given; `undefined` when no key has this id or it was revoked. */
  update(id: string, changes: Partial<KeySettings>): Promise<ApiKeyRecord | undefined>;
  /** Stops a key for good; `undefined` when no key has this id or it was revoked before. */
  revoke(id: string): Promise<ApiKeyRecord | undefined>;
  /**
   * Replaces an active key by a new one of the same settings, both or neither; `undefined` when no active key has this id.
   *
   * The old one is revoked, or with an overlap expires that many milliseconds from now, if it does not before.
   */
  rotate(id: string, overlapMs?: number): Promise<RotatedApiKey | undefined>;
  /** The keys with these SHA-256s (lower-case hex), by hash, revoked and expired ones included. */
  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>>;
  /** The SHA-256s (lower-case hex) of keys that would be accepted at `now`: of all, or of any `maxKeys` where there are more. */
  listActiveHashes(now: Date, maxKeys: number): Promise<ReadonlySet<string>>;
  /** Whether any key would be accepted at `now`. */
  hasActiveKey(now: Date): Promise<boolean>;
  /** Adds a batch of usage, all of it or nothing, and once however often it is tried. */
  addUsage(batch: UsageBatch): Promise<void>;
  /** The usage from a day on (`2026-11-21`), by day, key and outcome. */
  listUsage(fromDay: string): Promise<readonly KeyUsage[]>;
  /**
   * Adds an amount to what a key built of a mint on a day, unless the sum would be above the limit; returns whether it did.
   *
   * Exact whatever other processes add at the same time. Rejects when the store cannot be asked; after a lost answer the
   * amount may have been added.
   */
  addDailyAmount(added: DailyAmount, limit: bigint): Promise<boolean>;
  /** What a key built on a day, in base units by mint. */
  findDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>>;
  /** Forgets what any key built before a day. */
  forgetDailyAmountsBefore(day: string): Promise<void>;
  /**
   * Calls `onChange` after a key was changed, through this store or, as soon as it can be told, by anybody else: with its
   * hash, or without when it may be any key.
   *
   * What another process changed may never be told of: an answer must not be taken for true for more than seconds.
   */
  watchChanges(onChange: (hash?: string) => void): void;
  /** Whether what the keys are kept in is gone, such as a deleted file: somebody must act, waiting does not help. */
  isGone: boolean;
  /** Releases the store; nothing may be asked of it afterwards. */
  close(): Promise<void>;
}

/** A key store that cannot be opened; the message names `DATABASE_URL`, says the remedy and holds no password. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/** Whether a key is accepted at `now`, and if not, why; a key both expired and revoked counts as revoked. */
export function apiKeyStatus(record: ApiKeyRecord, now: Date): 'active' | 'expired' | 'revoked' {
  if (record.revokedAt !== null) return 'revoked';
  if (record.expiresAt !== null && record.expiresAt <= now) return 'expired';
  return 'active';
}
