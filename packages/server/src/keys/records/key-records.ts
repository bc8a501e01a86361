import type { Kysely } from 'kysely';
import type { KeyHistoryRow, StoreTables } from '../../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../../store/sql-database.ts';
import type {
  ApiKeyRecord,
  ChangeAuthor,
  CreatedApiKey,
  KeyChange,
  KeyChangeQuery,
  KeyEnding,
  KeySettings,
  RevokedApiKey,
  RotatedApiKey,
} from '../api-key-record.ts';
import { unrestricted } from '../authenticated-key.ts';
import { differenceOf, hasActiveKey, insertKey, settingsToColumns, stampRow, toRecord } from './key-rows.ts';
import { UsageRecords } from './usage-records.ts';

/** SQLite allows 32,766 parameters in a query. */
const maxKeysPerQuery = 10_000;

/** When and by whom keys are changed, and what ends with a key. */
export interface KeyRecordsOptions {
  now: () => Date;
  author: ChangeAuthor;
  /** Cancels the open payment links that a key has made, in the transaction that ends it; resolves with how many. */
  cancelLinks: (
    transaction: Kysely<StoreTables>,
    key: { ownerId: string; keyId: string; now: Date },
  ) => Promise<number>;
}

/** Stores API keys by their hash. Every call reads the database, so that it sees the changes of other processes at once. */
export class KeyRecords extends UsageRecords {
  readonly #db: Kysely<StoreTables>;
  readonly #options: KeyRecordsOptions;
  readonly #now: () => Date;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase, options: KeyRecordsOptions) {
    super(database, options.now);
    this.#db = database.db;
    this.#options = options;
    this.#now = options.now;
  }

  /** Makes a key and stores its hash; the text cannot be recovered. A setting that is left out does not limit the key. */
  async create(input: Pick<KeySettings, 'name' | 'expiresAt'> & Partial<KeySettings>): Promise<CreatedApiKey> {
    const settings = { rateLimitPerMinute: null, restrictions: unrestricted, ...input };
    return this.#db.transaction().execute(async (transaction) => {
      const created = await insertKey(transaction, settings, this.#now(), null);
      await this.#record(transaction, 'created', undefined, created.record);
      return created;
    });
  }

  /** All keys, the oldest first, revoked and expired ones included. */
  async list(): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toRecord);
  }

  /** The keys with this id or name, the oldest first, revoked and expired ones included. */
  async find(idOrName: string): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /**
   * Changes the settings that `change` returns for what the key is now; `undefined` when no key has this id or it was revoked.
   *
   * Rejects with what `change` throws, and has then changed nothing.
   */
  update(id: string, change: (before: ApiKeyRecord) => Partial<KeySettings>): Promise<ApiKeyRecord | undefined> {
    return this.#db.transaction().execute(async (transaction) => {
      // The write comes first and takes the lock, so that the second of two concurrent updates sees the result of the first.
      const row = await stampRow(transaction, id);
      if (row === undefined) return undefined;
      const before = toRecord(row);
      const columns = settingsToColumns({ ...before, ...change(before) });
      await transaction.updateTable('api_keys').set(columns).where('id', '=', id).execute();
      const result = toRecord({ ...row, ...columns });
      await this.#record(transaction, 'updated', before, result);
      return result;
    });
  }

  /** Stops a key for good; `undefined` when no key has this id or it was revoked before. */
  revoke(id: string, ending: KeyEnding = {}): Promise<RevokedApiKey | undefined> {
    return this.#db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('api_keys')
        .set({ revoked_at: this.#now().getTime() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const result = toRecord(row);
      await this.#record(transaction, 'revoked', { ...result, revokedAt: null }, result);
      return { ...result, closedLinks: await this.#closeLinks(transaction, result, ending, this.#now()) };
    });
  }

  /**
   * Replaces an active key by a new one of the same settings, both or neither; `undefined` when no active key has this id.
   *
   * The old one is revoked, or with an overlap expires that many milliseconds from now, if it does not before.
   */
  rotate(id: string, overlapMs = 0, ending: KeyEnding = {}): Promise<RotatedApiKey | undefined> {
    const now = this.#now();
    return this.#db.transaction().execute(async (transaction) => {
      // The write comes first and takes the lock, so that only one of two concurrent rotations finds the key active.
      const row = await stampRow(transaction, id, now);
      if (row === undefined) return undefined;
      const before = toRecord(row);
      const end = now.getTime() + overlapMs;
      const stop =
        overlapMs === 0 ? { revoked_at: now.getTime() } : { expires_at: Math.min(end, row.expires_at ?? end) };
      await transaction.updateTable('api_keys').set(stop).where('id', '=', id).execute();
      const created = await insertKey(transaction, before, now, row.root_id);
      const replaced = toRecord({ ...row, ...stop });
      await this.#record(transaction, 'rotated', before, replaced, created.record.id);
      const closedLinks = await this.#closeLinks(transaction, replaced, ending, now);
      return { ...created, replaced, closedLinks };
    });
  }

  /** The changes to keys that were recorded with them, the oldest first. */
  async listChanges({ keyIds, name, limit }: KeyChangeQuery): Promise<readonly KeyChange[]> {
    let query = this.#db.selectFrom('key_history').selectAll();
    if (keyIds !== undefined || name !== undefined) {
      const ids = (keyIds ?? []).slice(0, maxKeysPerQuery);
      query = query.where((where) =>
        where.or([
          ...(ids.length > 0 ? [where('key_id', 'in', ids), where('new_key_id', 'in', ids)] : []),
          ...(name === undefined ? [] : [where('name', '=', name)]),
        ]),
      );
    }
    const rows = await query.orderBy('id', 'desc').limit(limit).execute();
    return rows.reverse().map(toChange);
  }

  /** The keys with these SHA-256s (lower-case hex), by hash, revoked and expired ones included. */
  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    const records = new Map<string, ApiKeyRecord>();
    for (const some of inParts(hashes)) {
      const rows = await this.#db.selectFrom('api_keys').selectAll().where('hash', 'in', some).execute();
      for (const row of rows) records.set(row.hash, toRecord(row));
    }
    return records;
  }

  /** Whether any key would be accepted at `now`. */
  hasActiveKey(now: Date): Promise<boolean> {
    return hasActiveKey(this.#db, now);
  }

  /** To be called after the key's row was written: no link of the key is stored meanwhile. */
  async #closeLinks(
    transaction: Kysely<StoreTables>,
    { id: keyId, rootId: ownerId }: ApiKeyRecord,
    { closesLinks = false }: KeyEnding,
    now: Date,
  ): Promise<number> {
    return closesLinks ? this.#options.cancelLinks(transaction, { ownerId, keyId, now }) : 0;
  }

  /** Records a change, in the transaction that makes it. */
  async #record(
    transaction: Kysely<StoreTables>,
    action: KeyChange['action'],
    before: ApiKeyRecord | undefined,
    after: ApiKeyRecord,
    newKeyId: string | null = null,
  ): Promise<void> {
    const { id, name } = before ?? after;
    const { user, sudoUser, host } = this.#options.author;
    const changes = JSON.stringify(differenceOf(before, after));
    const change = { at: this.#now().getTime(), action, key_id: id, new_key_id: newKeyId, name, changes };
    await transaction
      .insertInto('key_history')
      .values({ ...change, os_user: user, sudo_user: sudoUser, host })
      .execute();
  }
}

function toChange(row: KeyHistoryRow): KeyChange {
  return {
    at: new Date(row.at),
    action: row.action,
    keyId: row.key_id,
    newKeyId: row.new_key_id,
    name: row.name,
    changes: JSON.parse(row.changes),
    author: { user: row.os_user, sudoUser: row.sudo_user, host: row.host },
  };
}
