/** What a store knows of an API key: everything but the key itself. */
export interface ApiKeyRecord {
  /** `key_` and 16 hex digits; never reused. */
  readonly id: string;
  /** Who or what uses the key; several keys may share a name. */
  readonly name: string;
  /** `swk_` and the next few characters of the key, to show to people. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** The first moment at which the key no longer works; `null` when it never expires. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key just made: the only time that its text is known. */
export interface CreatedApiKey {
  readonly record: ApiKeyRecord;
  readonly key: string;
}

/** A key just made in place of another, which no longer works. */
export interface RotatedApiKey extends CreatedApiKey {
  readonly replaced: ApiKeyRecord;
}

/** Keeps API keys by their hash; every call reads the store itself, so that another process's change is seen at once. */
export interface KeyStore {
  /** Makes a key and stores its hash; the key's text cannot be had again. */
  create(input: { readonly name: string; readonly expiresAt: Date | null }): Promise<CreatedApiKey>;
  /** All keys, the oldest first, revoked and expired ones included. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** The keys with this id or name, the oldest first, revoked and expired ones included. */
  find(idOrName: string): Promise<readonly ApiKeyRecord[]>;
  /** Stops a key for good; `undefined` when no key has this id or it was revoked before. */
  revoke(id: string): Promise<ApiKeyRecord | undefined>;
  /**
   * Replaces an active key by a new one of the same name and expiry, and revokes it, both or neither; `undefined` when
   * no active key has this id.
   */
  rotate(id: string): Promise<RotatedApiKey | undefined>;
  /** The keys with these SHA-256s (lower-case hex), by hash, revoked and expired ones included. */
  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>>;
  /** Whether any key would be accepted at `now`. */
  hasActiveKey(now: Date): Promise<boolean>;
  /**
   * Calls `onChange` after a key may have been changed, through this store or, as soon as it can be told, by anybody else.
   *
   * What another process changed may never be told of: an answer must not be taken for true for more than seconds.
   */
  watchChanges(onChange: () => void): void;
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
