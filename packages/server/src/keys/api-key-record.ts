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

/** The consequences of revoking or replacing a key. */
export interface KeyEnding {
  /** Whether the open payment links that it made are canceled. */
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
  keyId: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  mint: string;
  /** Base units, from 1 to 2^64-1. */
  amount: bigint;
}

/** An amount to be counted, up to the limit of a day. */
export interface DailyAddition {
  added: DailyAmount;
  limit: bigint;
  /** Where its request has the amount, as a JSON pointer. */
  pointer: string;
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

/** By the name of the setting, its value before and after, as JSON. */
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
