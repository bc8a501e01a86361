import { type Kysely, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { SqlDatabase, WhenNotBusy } from '../../store/sql-database.ts';
import type { RequestId } from '../idempotency-store.ts';

/** How much may be counted for a client here before the database is told: what the other processes cannot know of. */
const maxUnsavedBytes = 262_144;
/** Until when a sum counts: others add to it, and retention takes away. */
const maxAgeMs = 5_000;
const hourMs = 3_600_000;
/** Deleting this many rows takes a few milliseconds. */
const rowsPerPrune = 1_000;

/** What one process knows of a client. */
interface Known {
  /** The sum in the database, and when it was read. */
  saved: number;
  readAt: number;
  /** What was added since, by the hour in which it expires. */
  unsaved: Map<number, number>;
  unsavedBytes: number;
  reading: Promise<void> | undefined;
}

/**
 * Counts the bytes that the stored replies of each client take, for all processes on a database.
 *
 * There is one sum in the database for each hour in which replies expire. A process adds to it and reads it every 5 s, or when it has
 * 256 KiB to add, and not for each request: one that crashes leaves out up to that much.
 */
export class StoredBytes {
  readonly #db: Kysely<StoreTables>;
  readonly #whenNotBusy: WhenNotBusy;
  readonly #known = new Map<string, Known>();

  /** Uses `database`, which its owner closes. */
  constructor({ db, whenNotBusy }: Pick<SqlDatabase, 'db' | 'whenNotBusy'>) {
    this.#db = db;
    this.#whenNotBusy = whenNotBusy;
  }

  /** Counts bytes that were stored until `expiresAt`, or below 0 that are no longer. */
  add(scope: string, bytes: number, expiresAt: number): void {
    const known = this.#knownOf(scope);
    const hour = Math.ceil(expiresAt / hourMs) * hourMs;
    known.unsaved.set(hour, (known.unsaved.get(hour) ?? 0) + bytes);
    known.unsavedBytes += bytes;
  }

  /** Returns the bytes of a client at `now`, off by 256 KiB for each other process at most. Rejects when the database does not answer. */
  async of(scope: string, now: number): Promise<number> {
    const known = this.#knownOf(scope);
    const isFresh = Math.abs(now - known.readAt) < maxAgeMs && known.unsavedBytes < maxUnsavedBytes;
    if (known.reading || !isFresh) {
      known.reading ??= this.#read(scope, known, now).finally(() => {
        known.reading = undefined;
      });
      await known.reading;
    }
    return known.saved + known.unsavedBytes;
  }

  /** Deletes some of the sums whose replies have all expired at `now`, and returns how many. */
  async prune(now: number): Promise<number> {
    const expired = this.#db
      .selectFrom('idempotent_bytes')
      .select(['scope', 'expires_at'])
      .where('expires_at', '<=', now)
      .limit(rowsPerPrune);
    const deletion = this.#db
      .deleteFrom('idempotent_bytes')
      .where(({ eb, refTuple }) => eb(refTuple('scope', 'expires_at'), 'in', expired.$asTuple('scope', 'expires_at')));
    const { numDeletedRows } = await this.#whenNotBusy(() => deletion.executeTakeFirst());
    return Number(numDeletedRows);
  }

  #knownOf(scope: string): Known {
    let known = this.#known.get(scope);
    if (!known) {
      known = {
        saved: 0,
        readAt: Number.NEGATIVE_INFINITY,
        unsaved: new Map(),
        unsavedBytes: 0,
        reading: undefined,
      };
      this.#known.set(scope, known);
    }
    return known;
  }

  async #read(scope: string, known: Known, now: number): Promise<void> {
    const { unsaved } = known;
    known.unsaved = new Map();
    known.unsavedBytes = 0;
    try {
      await this.#save(scope, unsaved, now);
    } catch (error) {
      for (const [hour, bytes] of unsaved) this.add(scope, bytes, hour);
      throw error;
    }
    // What was saved is in the sum, so it is read again when this fails.
    known.readAt = Number.NEGATIVE_INFINITY;
    known.saved = await this.#sum(scope);
    known.readAt = now;
  }

  async #save(scope: string, unsaved: ReadonlyMap<number, number>, now: number): Promise<void> {
    const rows = [...unsaved].filter(([hour, bytes]) => hour > now && bytes !== 0);
    if (rows.length === 0) return;
    const insertion = this.#db
      .insertInto('idempotent_bytes')
      .values(rows.map(([hour, bytes]) => ({ scope, expires_at: hour, bytes })))
      .onConflict((conflict) =>
        conflict.columns(['scope', 'expires_at']).doUpdateSet({
          bytes: sql<number>`idempotent_bytes.bytes + excluded.bytes`,
        }),
      );
    await this.#whenNotBusy(() => insertion.execute());
  }

  async #sum(scope: string): Promise<number> {
    const { sum } = await this.#db
      .selectFrom('idempotent_bytes')
      .select(sql<number | string | null>`sum(bytes)`.as('sum'))
      .where('scope', '=', scope)
      .executeTakeFirstOrThrow();
    return Number(sum ?? 0);
  }
}

/** What a row with the id of a request takes, with its entries of indexes: each of them has the id again. */
export function bytesOfRow({ scope, path, key }: RequestId): number {
  return 200 + 2 * (scope.length + path.length + key.length);
}
