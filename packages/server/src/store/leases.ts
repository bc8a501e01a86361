import type { Kysely } from 'kysely';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase, WhenNotBusy } from './sql-database.ts';

/** The leases in an SQL database: each is taken by one statement, so that one of several processes gets it. */
export class SqlLeases implements LeaseStore {
  readonly #db: Kysely<StoreTables>;

  readonly #whenNotBusy: WhenNotBusy;

  /** Uses `database`, which its owner closes. */
  constructor({ db, whenNotBusy }: Pick<SqlDatabase, 'db' | 'whenNotBusy'>) {
    this.#db = db;
    this.#whenNotBusy = whenNotBusy;
  }

  async take(name: string, holder: string, now: number, durationMs: number): Promise<boolean> {
    const lease = { holder, expires_at: now + durationMs };
    const insertion = this.#db
      .insertInto('leases')
      .values({ name, ...lease })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(lease)
          .where((where) =>
            where.or([
              where('leases.holder', '=', holder),
              where('leases.expires_at', '<=', now),
              // One from far ahead is from before the clock was set back.
              where('leases.expires_at', '>', now + 2 * durationMs),
            ]),
          ),
      );
    const { numInsertedOrUpdatedRows = 0n } = await this.#whenNotBusy(() => insertion.executeTakeFirst());
    return numInsertedOrUpdatedRows > 0n;
  }

  async release(name: string, holder: string): Promise<void> {
    const deletion = this.#db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder);
    await this.#whenNotBusy(() => deletion.execute());
  }
}

/** Leases of work that one process does for all on a database. */
export interface LeaseStore {
  /**
   * Takes a lease, or renews that of the same holder; returns false while another holder has it.
   *
   * `now` is in milliseconds since the Unix epoch. A holder that dies has it until it expires.
   */
  take(name: string, holder: string, now: number, durationMs: number): Promise<boolean>;
  /** Gives a lease back; does nothing when another holder has it. */
  release(name: string, holder: string): Promise<void>;
}
