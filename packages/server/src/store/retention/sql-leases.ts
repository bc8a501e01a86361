import type { Kysely } from 'kysely';
import type { LeaseStore } from './lease-store.ts';
import type { LeaseTables } from './lease-tables.ts';

type WhenNotBusy = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** The leases in an SQL database: each is taken by one statement, so that one of several processes gets it. */
export class SqlLeases implements LeaseStore {
  readonly #db: Kysely<LeaseTables>;

  readonly #whenNotBusy: WhenNotBusy;

  /** Uses `db`, which its owner closes; `whenNotBusy` repeats a write while another process has the database locked. */
  constructor(db: Kysely<LeaseTables>, whenNotBusy: WhenNotBusy) {
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
