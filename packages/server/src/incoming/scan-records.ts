import { type Kysely, sql } from 'kysely';
import { type Address, toAddress } from 'splwright-core';
import type { CreditRow, StoreTables, WatchedAccountRow } from '../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../store/sql-database.ts';
import { recordEvent } from '../webhooks/record-event.ts';
import type { CreditedAccount } from './credit-in.ts';
import { type CreditOfRecipient, creditJson } from './credit-json.ts';
import type { ListedCredit, ScanPosition } from './scan-account.ts';

/** A token account to scan now, which no other process scans until then. */
export interface TakenAccount extends CreditedAccount, ScanPosition {
  /** What is known to be when a list that is read in several scans is read to its end. */
  resumeNewest: string | null;
  /** Milliseconds since the Unix epoch. */
  takenUntil: number;
  /** What is stored and not final. */
  unfinished: readonly { signature: string; slot: bigint }[];
}

/** What is stored of a scan. */
export interface SavedScan {
  credits: readonly ListedCredit[];
  /** The signatures of stored credits that a fork has dropped. */
  dropped: readonly string[];
  position: Pick<TakenAccount, 'knownSignature' | 'resumeBefore' | 'resumeNewest'>;
  /** Milliseconds since the Unix epoch. */
  at: number;
  dueAt: number;
}

/** Which token accounts are read, how far, and what arrived in them. */
export class ScanRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Begins to watch the token accounts of open links whose owners have an endpoint, and ends it for those that nobody needs. */
  watchLinks(now: number): Promise<void> {
    const { db, whenNotBusy } = this.#database;
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom('watched_accounts')
          .where(({ not, or, exists, selectFrom }) =>
            not(
              or([
                exists(
                  selectFrom('recipients')
                    .select('owner_id')
                    .whereRef('recipients.token_account', '=', 'watched_accounts.token_account'),
                ),
                exists(
                  toldLinks(transaction)
                    .select('link.id')
                    .where('link.destination', '=', sql<string>`watched_accounts.token_account`),
                ),
              ]),
            ),
          )
          .execute();
        await transaction
          .insertInto('watched_accounts')
          .columns(['token_account', 'mint', 'wallet', 'since_slot', 'due_at'])
          .expression(
            toldLinks(transaction)
              .select(({ fn, ref }) => [
                'link.destination as token_account',
                fn.min(ref('link.mint')).as('mint'),
                fn.min(ref('link.recipient')).as('wallet'),
                fn.min(ref('link.created_slot')).as('since_slot'),
                sql<number>`${now}`.as('due_at'),
              ])
              .where(({ not, exists, selectFrom }) =>
                not(
                  exists(
                    selectFrom('watched_accounts as known')
                      .select('known.token_account')
                      .whereRef('known.token_account', '=', 'link.destination'),
                  ),
                ),
              )
              .groupBy('link.destination'),
          )
          .onConflict((conflict) => conflict.column('token_account').doNothing())
          .execute();
      }),
    );
  }

  /** Takes some token accounts that are due. */
  take(now: number, takenUntil: number, limit: number): Promise<readonly TakenAccount[]> {
    const { db, whenNotBusy, locksRows } = this.#database;
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom('watched_accounts')
          .selectAll()
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(limit)
          .$if(locksRows, (query) => query.forUpdate().skipLocked())
          .execute();
        const accounts = rows.map((row) => row.token_account);
        if (accounts.length === 0) return [];
        await transaction
          .updateTable('watched_accounts')
          .set({ taken_until: takenUntil, due_at: takenUntil })
          .where('token_account', 'in', accounts)
          .execute();
        const unfinished = await transaction
          .selectFrom('credits')
          .select(['token_account', 'signature', 'slot'])
          .where('token_account', 'in', accounts)
          .where('commitment', '=', 'confirmed')
          .execute();
        return rows.map((row) => toTaken(row, takenUntil, unfinished));
      }),
    );
  }

  /** Stores what a scan found, and tells it to those who watch the account; not when another process has the account by now. */
  save({ tokenAccount, takenUntil }: TakenAccount, scan: SavedScan): Promise<void> {
    const { db, whenNotBusy } = this.#database;
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        const { knownSignature, resumeBefore, resumeNewest } = scan.position;
        const { numUpdatedRows } = await transaction
          .updateTable('watched_accounts')
          .set({
            known_signature: knownSignature,
            resume_before: resumeBefore,
            resume_newest: resumeNewest,
            taken_until: null,
            due_at: scan.dueAt,
            scanned_at: scan.at,
            fault: null,
          })
          .where('token_account', '=', tokenAccount)
          .where('taken_until', '=', takenUntil)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        for (const credit of scan.credits) await saveCredit(transaction, tokenAccount, credit, scan.at);
        for (const signature of scan.dropped) await dropCredit(transaction, tokenAccount, signature, scan.at);
      }),
    );
  }

  /** Notes why a token account could not be scanned. */
  async fail({ tokenAccount, takenUntil }: TakenAccount, fault: string, dueAt: number): Promise<void> {
    const { db, whenNotBusy } = this.#database;
    await whenNotBusy(() =>
      db
        .updateTable('watched_accounts')
        .set({ taken_until: null, due_at: dueAt, fault })
        .where('token_account', '=', tokenAccount)
        .where('taken_until', '=', takenUntil)
        .execute(),
    );
  }

  /** The ids of links with these references. */
  async linksOf(references: readonly Address[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const some of inParts(references)) {
      const rows = await this.#database.db.selectFrom('payment_links').select('id').where('reference', 'in', some).execute();
      found.push(...rows.map(({ id }) => id));
    }
    return found;
  }

  /** The ids of some links that have ended, are not settled, and whose owners have an endpoint. Times as in the rows. */
  async endedLinks({ endedBefore, checkedBefore, limit }: { endedBefore: number; checkedBefore: number; limit: number }): Promise<readonly string[]> {
    const rows = await toldLinks(this.#database.db)
      .select('link.id')
      .where('link.expires_at', '<', endedBefore)
      .where(({ or, eb }) => or([eb('link.checked_at', 'is', null), eb('link.checked_at', '<', checkedBefore)]))
      .orderBy('link.checked_at')
      .limit(limit)
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

function toTaken(
  row: WatchedAccountRow,
  takenUntil: number,
  unfinished: readonly Pick<CreditRow, 'token_account' | 'signature' | 'slot'>[],
): TakenAccount {
  return {
    tokenAccount: toAddress(row.token_account),
    mint: toAddress(row.mint),
    wallet: toAddress(row.wallet),
    sinceSlot: BigInt(row.since_slot),
    knownSignature: row.known_signature,
    resumeBefore: row.resume_before,
    resumeNewest: row.resume_newest,
    takenUntil,
    unfinished: unfinished
      .filter((credit) => credit.token_account === row.token_account)
      .map(({ signature, slot }) => ({ signature, slot: BigInt(slot) })),
  };
}

async function saveCredit(
  db: Parameters<typeof recordEvent>[0],
  tokenAccount: Address,
  credit: ListedCredit,
  at: number,
): Promise<void> {
  const before = await findCredit(db, tokenAccount, credit.signature);
  if (before?.commitment === 'finalized') return;
  const row: CreditRow = {
    token_account: tokenAccount,
    signature: credit.signature,
    slot: Number(credit.slot),
    block_time: credit.blockTime === null ? null : Number(credit.blockTime),
    amount: credit.amount.toString(),
    payer: credit.payer,
    // What a database of texts cannot hold.
    memo: credit.memo?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null,
    reference_addresses: JSON.stringify(credit.references),
    commitment: credit.commitment,
    seen_at: before?.seen_at ?? at,
  };
  await db
    .insertInto('credits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['token_account', 'signature']).doUpdateSet(row))
    .execute();
  if (!before) await tellCredit(db, row, 'payment.received', at);
  if (row.commitment === 'finalized') await tellCredit(db, row, 'payment.final', at);
}

async function dropCredit(
  db: Parameters<typeof recordEvent>[0],
  tokenAccount: Address,
  signature: string,
  at: number,
): Promise<void> {
  const before = await findCredit(db, tokenAccount, signature);
  if (before?.commitment !== 'confirmed') return;
  await db.deleteFrom('credits').where('token_account', '=', tokenAccount).where('signature', '=', signature).execute();
  await tellCredit(db, before, 'payment.dropped', at);
}

function findCredit(db: Kysely<StoreTables>, tokenAccount: Address, signature: string): Promise<CreditRow | undefined> {
  return db
    .selectFrom('credits')
    .selectAll()
    .where('token_account', '=', tokenAccount)
    .where('signature', '=', signature)
    .executeTakeFirst();
}

async function tellCredit(
  db: Parameters<typeof recordEvent>[0],
  credit: CreditRow,
  type: 'payment.received' | 'payment.final' | 'payment.dropped',
  at: number,
): Promise<void> {
  const recipients = await db
    .selectFrom('recipients')
    .select(['owner_id', 'wallet', 'mint'])
    .where('token_account', '=', credit.token_account)
    .where('since_slot', '<=', credit.slot)
    .execute();
  for (const { owner_id: ownerId, wallet, mint } of recipients) {
    const data = creditJson({ ...credit, wallet, mint });
    await recordEvent(db, { ownerId, type, objectId: credit.signature, data, at });
  }
}

/** What a page of credits is about. */
export interface CreditQuery {
  recipient?: string;
  mint?: string;
  memo?: string;
  before?: { seenAt: number; signature: string };
  limit: number;
}

/** Lists what arrived at the recipients of an owner, the latest seen first. */
export async function listCredits(
  db: Kysely<StoreTables>,
  ownerId: string,
  { recipient, mint, memo, before, limit }: CreditQuery,
): Promise<readonly CreditOfRecipient[]> {
  return db
    .selectFrom('recipients as recipient')
    .innerJoin('credits as credit', 'credit.token_account', 'recipient.token_account')
    .selectAll('credit')
    .select(['recipient.wallet', 'recipient.mint'])
    .where('recipient.owner_id', '=', ownerId)
    .whereRef('credit.slot', '>=', 'recipient.since_slot')
    .$if(recipient !== undefined, (query) => query.where('recipient.wallet', '=', recipient ?? ''))
    .$if(mint !== undefined, (query) => query.where('recipient.mint', '=', mint ?? ''))
    .$if(memo !== undefined, (query) => query.where('credit.memo', '=', memo ?? ''))
    .$if(before !== undefined, (query) =>
      query.where(({ or, and, eb }) =>
        or([
          eb('credit.seen_at', '<', before?.seenAt ?? 0),
          and([eb('credit.seen_at', '=', before?.seenAt ?? 0), eb('credit.signature', '<', before?.signature ?? '')]),
        ]),
      ),
    )
    .orderBy('credit.seen_at', 'desc')
    .orderBy('credit.signature', 'desc')
    .limit(limit)
    .execute();
}
