import { type Kysely, sql } from 'kysely';
import { type Address, sol, toAddress } from 'splwright-core';
import type { CreditRow, StoreTables, WatchedAccountRow } from '../store/schema/tables.ts';
import { inParts, inTransaction, type SqlDatabase } from '../store/sql-database.ts';
import type { AccountScan, ScannedAccount } from './account-scanner.ts';
import { dropCredit, saveCredit } from './credit-records.ts';

/** Further than the clocks of processes are apart. */
const farAheadMs = 60_000;

/** A token account to scan, and what the last scan could not do. */
export type TakenAccount = ScannedAccount & Pick<WatchedAccountRow, 'fault'>;

/** Which token accounts are scanned, for recipients and for payment links, and how far. */
export class WatchedAccounts {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Begins to watch the token accounts of recipients, and of open links whose owners have an endpoint; forgets all others. */
  update(now: number): Promise<void> {
    return inTransaction(this.#database, async (db) => {
      const wanted = db.selectFrom(wantedAccounts(db).as('wanted'));
      const forgotten = await db
        .deleteFrom('watched_accounts')
        .where('token_account', 'not in', wanted.select('token_account'))
        .returning('token_account')
        .execute();
      for (const some of inParts(forgotten.map(({ token_account }) => token_account))) {
        await db.deleteFrom('credits').where('token_account', 'in', some).execute();
      }
      await db
        .insertInto('watched_accounts')
        .columns(['token_account', 'mint', 'wallet', 'floor_slot', 'due_at'])
        .expression(
          wanted
            .select(({ fn, ref }) => [
              'token_account',
              fn.min(ref('mint')).as('mint'),
              fn.min(ref('wallet')).as('wallet'),
              fn.min(ref('floor_slot')).as('floor_slot'),
              sql<number>`${now}`.as('due_at'),
            ])
            .where('token_account', 'not in', sql<string>`(select token_account from watched_accounts)`)
            .groupBy('token_account'),
        )
        .onConflict((conflict) => conflict.column('token_account').doNothing())
        .execute();
    });
  }

  /** Takes some token accounts that are due. No process takes them again before `dueAt`. */
  async take({ now, dueAt, limit }: { now: number; dueAt: number; limit: number }): Promise<readonly TakenAccount[]> {
    const due = (db: Kysely<StoreTables>) =>
      db
        .selectFrom('watched_accounts')
        .selectAll()
        // A time that is far ahead is from before the clock was set back.
        .where(({ or, eb }) => or([eb('due_at', '<=', now), eb('due_at', '>', dueAt + farAheadMs)]));
    if (limit <= 0 || !(await due(this.#database.db).limit(1).executeTakeFirst())) return [];
    return inTransaction(this.#database, async (db) => {
      const rows = await due(db)
        .orderBy('due_at')
        .limit(limit)
        .$if(this.#database.locksRows, (query) => query.forUpdate().skipLocked())
        .execute();
      const accounts = rows.map((row) => row.token_account);
      if (accounts.length === 0) return [];
      await db.updateTable('watched_accounts').set({ due_at: dueAt }).where('token_account', 'in', accounts).execute();
      const unfinished = await db
        .selectFrom('credits')
        .selectAll()
        .where('token_account', 'in', accounts)
        .where('commitment', '=', 'confirmed')
        .execute();
      const byAccount = Map.groupBy(unfinished, ({ token_account }) => token_account);
      return rows.map((row) => toTaken(row, byAccount.get(row.token_account) ?? []));
    });
  }

  /** Stores what a scan found, and tells it to those who watch the account. `at`: milliseconds since the Unix epoch. */
  save(tokenAccount: Address, { position, fault, credits, dropped, isMore }: AccountScan, at: number): Promise<void> {
    return inTransaction(this.#database, async (db) => {
      // Takes the lock, so that what two scans found is told once.
      const { numUpdatedRows } = await db
        .updateTable('watched_accounts')
        .set({
          floor_slot: Number(position.floorSlot),
          until_signature: position.until,
          fault,
          ...(isMore && { due_at: at }),
        })
        .where('token_account', '=', tokenAccount)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      for (const credit of credits) await saveCredit(db, credit, at);
      for (const credit of dropped) await dropCredit(db, credit, at);
    });
  }

  /** The ids of links with these references. */
  async linksOf(references: readonly Address[]): Promise<readonly string[]> {
    if (references.length === 0) return [];
    const { db } = this.#database;
    const rows = await db.selectFrom('payment_links').select('id').where('reference', 'in', references).execute();
    return rows.map(({ id }) => id);
  }

  /** The ids of some links that have ended and are not settled, whose owners have an endpoint. Times are milliseconds since the Unix epoch. */
  async endedLinks(times: { endedBefore: number; checkedBefore: number; limit: number }): Promise<readonly string[]> {
    const rows = await toldLinks(this.#database.db)
      .select('link.id')
      .where('link.expires_at', '<', times.endedBefore)
      .where(({ or, eb }) => or([eb('link.checked_at', 'is', null), eb('link.checked_at', '<', times.checkedBefore)]))
      // So that those whose checks fail hold back no others.
      .orderBy(sql`random()`)
      .limit(times.limit)
      .execute();
    return rows.map(({ id }) => id);
  }
}

/** The links that are not settled, of owners with an endpoint. */
function toldLinks(db: Kysely<StoreTables>) {
  return db
    .selectFrom('payment_links as link')
    .where('link.settled_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_endpoints as endpoint')
          .select('endpoint.id')
          .whereRef('endpoint.owner_id', '=', 'link.owner_id')
          .where('endpoint.disabled_at', 'is', null),
      ),
    );
}

/** The token accounts of recipients, and those into which the links of `toldLinks` can be paid. */
function wantedAccounts(db: Kysely<StoreTables>) {
  const link = ['link.recipient as wallet', 'link.created_slot as floor_slot'] as const;
  return db
    .selectFrom('recipients')
    .select(['token_account', 'mint', 'wallet', 'since_slot as floor_slot'])
    .unionAll(toldLinks(db).select(['link.destination as token_account', 'link.mint', ...link]))
    .unionAll(
      toldLinks(db)
        .innerJoin('link_other_accounts as other', 'other.link_id', 'link.id')
        .select(['other.token_account', 'other.mint', ...link]),
    );
}

function toTaken(row: WatchedAccountRow, unfinished: readonly CreditRow[]): TakenAccount {
  return {
    tokenAccount: toAddress(row.token_account),
    mint: row.mint === sol ? sol : toAddress(row.mint),
    wallet: toAddress(row.wallet),
    floorSlot: BigInt(row.floor_slot),
    until: row.until_signature,
    fault: row.fault,
    unfinished,
  };
}
