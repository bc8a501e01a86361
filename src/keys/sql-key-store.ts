import { randomBytes } from 'node:crypto';
import { CompiledQuery, type ExpressionBuilder, type Kysely } from 'kysely';
import { generateApiKey, hashApiKey, shownPrefixOf } from './api-key.ts';
import type { ApiKeyRecord, CreatedApiKey, KeyStore, RotatedApiKey } from './key-store.ts';
import type { ApiKeyRow, KeyTables } from './key-tables.ts';

/** How a store learns of what other connections to its database change. */
export interface ForeignChanges {
  /** Calls `onChange` after a key may have been changed through another connection, until `close`. */
  watch(onChange: () => void): void;
  close(): Promise<void>;
}

const HASHES_PER_QUERY = 100;

/** A key store in an SQL database with the tables of `migrations/`; it holds nothing in memory. */
export class SqlKeyStore implements KeyStore {
  readonly #db: Kysely<KeyTables>;
  readonly #foreignChanges: ForeignChanges;
  readonly #now: () => Date;
  /** Compiled once: compiling costs more than running. */
  readonly #selectOne: string;
  readonly #selectMany: string;
  #onChange: () => void = () => undefined;

  /** Takes over `db` and `foreignChanges`, which `close` ends; `now` dates what is made and revoked. */
  constructor(db: Kysely<KeyTables>, foreignChanges: ForeignChanges, now: () => Date) {
    this.#db = db;
    this.#foreignChanges = foreignChanges;
    this.#now = now;
    this.#selectOne = textOfSelect(db, 1);
    this.#selectMany = textOfSelect(db, HASHES_PER_QUERY);
  }

  create(input: { readonly name: string; readonly expiresAt: Date | null }): Promise<CreatedApiKey> {
    return insertKey(this.#db, input.name, input.expiresAt?.getTime() ?? null, this.#now());
  }

  async list(): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toRecord);
  }

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

  async revoke(id: string): Promise<ApiKeyRecord | undefined> {
    const row = await this.#db
      .updateTable('api_keys')
      .set({ revoked_at: this.#now().getTime() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    this.#onChange();
    return row && toRecord(row);
  }

  async rotate(id: string): Promise<RotatedApiKey | undefined> {
    const now = this.#now();
    const rotated = await this.#db.transaction().execute(async (transaction) => {
      // The write comes first: it takes the lock, so that of two rotations at once only one finds the key active.
      const row = await transaction
        .updateTable('api_keys')
        .set({ revoked_at: now.getTime() })
        .where('id', '=', id)
        .where((where) => isActive(where, now))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const created = await insertKey(transaction, row.name, row.expires_at, now);
      return { ...created, replaced: toRecord(row) };
    });
    this.#onChange();
    return rotated;
  }

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    const records = new Map<string, ApiKeyRecord>();
    for (let start = 0; start < hashes.length; start += HASHES_PER_QUERY) {
      const some = hashes.slice(start, start + HASHES_PER_QUERY);
      const query = some.length === 1 ? CompiledQuery.raw(this.#selectOne, some) : this.#selectOf(some);
      const { rows } = await this.#db.executeQuery<ApiKeyRow>(query);
      for (const row of rows) records.set(row.hash, toRecord(row));
    }
    return records;
  }

  #selectOf(hashes: readonly string[]): CompiledQuery {
    // The places left over repeat the last hash.
    const parameters = Array.from({ length: HASHES_PER_QUERY }, (_, index) => hashes[index] ?? hashes.at(-1));
    return CompiledQuery.raw(this.#selectMany, parameters);
  }

  async hasActiveKey(now: Date): Promise<boolean> {
    const row = await this.#db
      .selectFrom('api_keys')
      .select('id')
      .where((where) => isActive(where, now))
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  watchChanges(onChange: () => void): void {
    this.#onChange = onChange;
    this.#foreignChanges.watch(onChange);
  }

  async close(): Promise<void> {
    await this.#foreignChanges.close();
    await this.#db.destroy();
  }
}

function textOfSelect(db: Kysely<KeyTables>, hashCount: number): string {
  const hashes = Array<string>(hashCount).fill('');
  return db.selectFrom('api_keys').selectAll().where('hash', 'in', hashes).compile().sql;
}

function isActive(where: ExpressionBuilder<KeyTables, 'api_keys'>, now: Date) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now.getTime())]),
  ]);
}

async function insertKey(
  db: Kysely<KeyTables>,
  name: string,
  expiresAt: number | null,
  now: Date,
): Promise<CreatedApiKey> {
  const key = generateApiKey();
  const row: ApiKeyRow = {
    id: `key_${randomBytes(8).toString('hex')}`,
    name,
    prefix: shownPrefixOf(key),
    hash: hashApiKey(key),
    created_at: now.getTime(),
    expires_at: expiresAt,
    revoked_at: null,
  };
  await db.insertInto('api_keys').values(row).execute();
  return { record: toRecord(row), key };
}

function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdAt: new Date(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDate(row.revoked_at),
  };
}

function toDate(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
