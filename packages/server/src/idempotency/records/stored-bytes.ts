import { type Kysely, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { SqlDatabase } from '../../store/sql-database.ts';
import type { NewReply, RequestId } from '../idempotent-request.ts';

/** Until when a sum counts: others add to it, and retention takes away. */
const maxAgeMs = 5_000;
const hourMs = 3_600_000;
/** Deleting this many rows takes a few milliseconds. */
const rowsPerPrune = 1_000;

/** The bytes of a scope, as one process knows them. */
interface Known {
  /** The sum in the database, and when it was read. */
  saved: number;
  readAt: number;
  /** Those added since, by the hour in which they expire. */
  unsaved: Map<number, number>;
}

/**
 * Counts the bytes that the stored replies of each scope take, for all processes on a database.
 *
 * There is one sum in the database for each hour in which replies expire. A process adds to it and reads it every 5 s, and not for
 * each request: one that crashes, or whose database fails, leaves out what it has stored since.
 */
export class StoredBytes {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<StoreTables>;
  readonly #known = new Map<string, Known>();

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#db = database.db;
  }

  /** Counts bytes that were stored until `expiresAt`, or below 0 that are no longer. */
  add(scope: string, bytes: number, expiresAt: number): void {
    const { unsaved } = this.#knownOf(scope);
    const hour = Math.ceil(expiresAt / hourMs) * hourMs;
    unsaved.set(hour, (unsaved.get(hour) ?? 0) + bytes);
  }

  /** Returns the bytes of a scope at `now`. Rejects when the database does not answer. */
  async of(scope: string, now: number): Promise<number> {
    const known = this.#knownOf(scope);
    if (Math.abs(now - known.readAt) >= maxAgeMs) await this.#read(scope, known, now);
    return [...known.unsaved.values()].reduce((sum, bytes) => sum + bytes, known.saved);
  }

  /** Deletes some of the sums whose replies have all expired at `now`, and returns how many. */
  async prune(now: number): Promise<number> {
    const expired = this.#db
      .selectFrom('idempotent_bytes')
      .select(['scope', 'expires_at'])
      .where('expires_at', '<=', now)
      .limit(rowsPerPrune)
      .$if(this.#database.locksRows, (query) => query.forUpdate().skipLocked());
    const deletion = this.#db
      .deleteFrom('idempotent_bytes')
      .where(({ eb, refTuple }) => eb(refTuple('scope', 'expires_at'), 'in', expired.$asTuple('scope', 'expires_at')));
    const { numDeletedRows } = await this.#database.whenNotBusy(() => deletion.executeTakeFirst());
    return Number(numDeletedRows);
  }

  #knownOf(scope: string): Known {
    const known = this.#known.get(scope) ?? { saved: 0, readAt: Number.NEGATIVE_INFINITY, unsaved: new Map() };
    this.#known.set(scope, known);
    return known;
  }

  async #read(scope: string, known: Known, now: number): Promise<void> {
    const rows = [...known.unsaved].filter(([hour, bytes]) => hour > now && bytes !== 0);
    // Taken before the database is asked: requests that arrive meanwhile do not add it again.
    known.unsaved = new Map();
    if (rows.length > 0) {
      const insertion = this.#db
        .insertInto('idempotent_bytes')
        .values(rows.map(([hour, bytes]) => ({ scope, expires_at: hour, bytes })))
        .onConflict((conflict) =>
          conflict.columns(['scope', 'expires_at']).doUpdateSet({
            bytes: sql<number>`idempotent_bytes.bytes + excluded.bytes`,
          }),
        );
      await this.#database.whenNotBusy(() => insertion.execute());
    }
    const { sum } = await this.#db
      .selectFrom('idempotent_bytes')
      .select(sql<number | string | null>`sum(bytes)`.as('sum'))
      .where('scope', '=', scope)
      .executeTakeFirstOrThrow();
    known.saved = Number(sum ?? 0);
    known.readAt = now;
  }
}

/** Returns how many bytes a stored reply takes, with its rows and their entries of indexes: each of them has the id again. */
export function storedBytesOf(
  { scope, path, key }: RequestId,
  { whole, transactions }: Pick<NewReply, 'whole' | 'transactions'>,
): number {
  const rowBytes = 200 + 2 * (scope.length + path.length + key.length);
  const transactionBytes = transactions.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length * 1.5), 0);
  return Buffer.byteLength(whole?.reply ?? '') + transactionBytes + (1 + transactions.length) * rowBytes;
}
