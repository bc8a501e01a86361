import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { sandboxKeyId } from '../keys/authenticated-key.ts';
import { idOnLedger, type LedgerStore, type RecordCounts, type RecordLedger } from './ledger-store.ts';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase, WhenNotBusy } from './sql-database.ts';

/** Deleting this many links with their payments takes a few milliseconds. */
const linksPerPrune = 50;

/** The ledgers in an SQL database. */
export class SqlLedgers implements LedgerStore {
  readonly #db: Kysely<StoreTables>;
  readonly #whenNotBusy: WhenNotBusy;

  /** Uses `database`, which its owner closes. */
  constructor({ db, whenNotBusy }: Pick<SqlDatabase, 'db' | 'whenNotBusy'>) {
    this.#db = db;
    this.#whenNotBusy = whenNotBusy;
  }

  async open(genesisHash: string, isSandbox: boolean, now: number): Promise<RecordLedger> {
    const row = { genesis_hash: genesisHash, is_sandbox: Number(isSandbox), seen_at: now };
    if (!isSandbox) {
      // Does nothing when the ledger is known, or another one has the unnamed records.
      const first = this.#db.insertInto('ledgers').values({ ...row, owns_unnamed: 1 });
      await this.#whenNotBusy(() => first.onConflict((conflict) => conflict.doNothing()).execute());
    }
    const { owns_unnamed } = await this.#whenNotBusy(() =>
      this.#db
        .insertInto('ledgers')
        .values({ ...row, owns_unnamed: null })
        .onConflict((conflict) => conflict.column('genesis_hash').doUpdateSet({ seen_at: now }))
        .returning('owns_unnamed')
        .executeTakeFirstOrThrow(),
    );
    return { genesisHash, ownsUnnamed: owns_unnamed === 1 };
  }

  async noteSeen(genesisHash: string, now: number): Promise<void> {
    const update = this.#db.updateTable('ledgers').set({ seen_at: now }).where('genesis_hash', '=', genesisHash);
    await this.#whenNotBusy(() => update.execute());
  }

  async countRecordsOfOtherLedgers(ledger: RecordLedger, now: number): Promise<RecordCounts> {
    if (ledger.ownsUnnamed && !(await this.#hasOther(ledger))) return { links: 0, requests: 0 };
    const links = this.#db.selectFrom('payment_links').select(countAll);
    const requests = this.#db.selectFrom('idempotent_requests').select(countAll).where('expires_at', '>', now);
    const ownRequests = ledger.ownsUnnamed
      ? requests.where('scope', 'not like', '%/%')
      : requests.where('scope', 'like', idOnLedger(ledger, '%'));
    return {
      links: (await countOf(links)) - (await countOf(links.where(isOnLedger(ledger)))),
      requests: (await countOf(requests)) - (await countOf(ownRequests)),
    };
  }

  pruneSandboxes(before: number, served: RecordLedger): Promise<number> {
    return this.#whenNotBusy(() =>
      this.#db.transaction().execute((transaction) => pruneSandboxes(transaction, before, served)),
    );
  }

  async #hasOther({ genesisHash }: RecordLedger): Promise<boolean> {
    const other = this.#db
      .selectFrom('ledgers')
      .select('genesis_hash')
      .where('genesis_hash', '!=', genesisHash)
      .limit(1);
    return (await other.executeTakeFirst()) !== undefined;
  }
}

const countAll = sql<number>`count(*)`.as('count');

async function countOf(query: { executeTakeFirstOrThrow(): Promise<{ count: number }> }): Promise<number> {
  return Number((await query.executeTakeFirstOrThrow()).count);
}

async function pruneSandboxes(db: Kysely<StoreTables>, before: number, served: RecordLedger): Promise<number> {
  const rows = await db
    .selectFrom('ledgers')
    .select('genesis_hash')
    .where('is_sandbox', '=', 1)
    .where('seen_at', '<', before)
    .where('genesis_hash', '!=', served.genesisHash)
    .execute();
  const former = rows.map(({ genesis_hash }) => genesis_hash);
  const links = await db
    .selectFrom('payment_links')
    .select('id')
    .where((where) =>
      where.or([
        ...(former.length > 0 ? [where('genesis_hash', 'in', former)] : []),
        // The key of sandboxes made it before links said where they are.
        where.and([
          where('genesis_hash', 'is', null),
          where('owner_id', '=', sandboxKeyId),
          where('created_at', '<', before),
        ]),
      ]),
    )
    .limit(linksPerPrune)
    .execute();
  const ids = links.map(({ id }) => id);
  if (ids.length > 0) {
    await db.deleteFrom('link_payments').where('link_id', 'in', ids).execute();
    await db.deleteFrom('issued_transactions').where('link_id', 'in', ids).execute();
    await db.deleteFrom('payment_links').where('id', 'in', ids).execute();
  } else if (former.length > 0) {
    // A sandbox that was killed has left its own.
    await db.deleteFrom('leases').where('expires_at', '<', before).execute();
    await db.deleteFrom('ledgers').where('genesis_hash', 'in', former).execute();
  }
  return ids.length;
}

/** The condition that a row of `payment_links`, or of an alias of it, is a link on a ledger. */
export function isOnLedger({ genesisHash, ownsUnnamed }: RecordLedger, table = 'payment_links'): RawBuilder<SqlBool> {
  const named = sql.ref(`${table}.genesis_hash`);
  if (!ownsUnnamed) return sql`${named} = ${genesisHash}`;
  // The key of sandboxes works on no network.
  const isUnnamed = sql`${named} is null and ${sql.ref(`${table}.owner_id`)} <> ${sandboxKeyId}`;
  return sql`(${named} = ${genesisHash} or (${isUnnamed}))`;
}
