import { CompiledQuery, type Kysely } from 'kysely';
import { toRecord } from './key-rows.ts';
import type { ApiKeyRecord } from './key-store.ts';
import type { ApiKeyRow, KeyTables } from './key-tables.ts';

const maxHashesPerQuery = 100;

/** Finds keys by their hashes, with two queries that are compiled once: compiling costs more than running. */
export class HashLookup {
  readonly #db: Kysely<KeyTables>;
  readonly #selectOne: string;
  readonly #selectMany: string;

  /** Compiles the queries; does not query `db` before `find`. */
  constructor(db: Kysely<KeyTables>) {
    this.#db = db;
    this.#selectOne = textOfSelect(db, 1);
    this.#selectMany = textOfSelect(db, maxHashesPerQuery);
  }

  /** Returns the keys with these hashes, by hash. */
  async find(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    const records = new Map<string, ApiKeyRecord>();
    for (let start = 0; start < hashes.length; start += maxHashesPerQuery) {
      const some = hashes.slice(start, start + maxHashesPerQuery);
      const query = some.length === 1 ? CompiledQuery.raw(this.#selectOne, some) : this.#selectOf(some);
      const { rows } = await this.#db.executeQuery<ApiKeyRow>(query);
      for (const row of rows) records.set(row.hash, toRecord(row));
    }
    return records;
  }

  #selectOf(hashes: readonly string[]): CompiledQuery {
    // The remaining parameters repeat the last hash.
    const parameters = Array.from({ length: maxHashesPerQuery }, (_, index) => hashes[index] ?? hashes.at(-1));
    return CompiledQuery.raw(this.#selectMany, parameters);
  }
}

function textOfSelect(db: Kysely<KeyTables>, hashCount: number): string {
  const hashes = Array<string>(hashCount).fill('');
  return db.selectFrom('api_keys').selectAll().where('hash', 'in', hashes).compile().sql;
}
