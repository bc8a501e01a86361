import { type Kysely, sql, type Transaction } from 'kysely';
import type { ListPage } from '../app/list-cursor.ts';
import type { CreditRow, StoreTables } from '../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../store/sql-database.ts';
import type { EventType } from '../webhooks/event-types.ts';
import { recordEvent } from '../webhooks/record-event.ts';
import type { CreditJson } from './incoming-schema.ts';

/** A credit as a scan finds it: it is seen once it is stored, so that what is listed later never stands below what was listed before. */
export type FoundCredit = Omit<CreditRow, 'seen_at'>;

/**
 * Stores a credit that is new, or final now, and tells that to those who watch its account, whose row the caller has locked.
 *
 * `at`: milliseconds since the Unix epoch.
 */
export async function saveCredit(db: Transaction<StoreTables>, credit: FoundCredit, at: number): Promise<void> {
  const known = await db
    .selectFrom('credits')
    .select(['commitment', 'seen_at'])
    .where('token_account', '=', credit.token_account)
    .where('signature', '=', credit.signature)
    .executeTakeFirst();
  if (known?.commitment === 'finalized') return;
  const row = { ...credit, seen_at: known?.seen_at ?? at };
  await db
    .insertInto('credits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['token_account', 'signature']).doUpdateSet(row))
    .execute();
  if (!known) await tell(db, row, 'payment.received', at);
  if (row.commitment === 'finalized') await tell(db, row, 'payment.final', at);
}

/** Deletes a credit that a fork dropped, and tells that. */
export async function dropCredit(db: Transaction<StoreTables>, credit: CreditRow, at: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('credits')
    .where('token_account', '=', credit.token_account)
    .where('signature', '=', credit.signature)
    .where('slot', '=', credit.slot)
    .where('commitment', '=', 'confirmed')
    .executeTakeFirst();
  if (numDeletedRows > 0n) await tell(db, credit, 'payment.dropped', at);
}

async function tell(db: Transaction<StoreTables>, credit: CreditRow, type: EventType, at: number): Promise<void> {
  const recipients = await db
    .selectFrom('recipients')
    .select(['owner_id', 'wallet', 'mint'])
    .where('token_account', '=', credit.token_account)
    .where('since_slot', '<=', credit.slot)
    .execute();
  for (const { owner_id: ownerId, wallet, mint } of recipients) {
    const [data] = await asJson(db, ownerId, [{ ...credit, wallet, mint }]);
    if (data) await recordEvent(db, { ownerId, type, objectId: data.id, data, at });
  }
}

/** Which credits to list. */
export interface CreditQuery extends ListPage {
  recipient?: string;
  mint?: string;
  memo?: string;
}

/** Credits, as the owners of their recipients read them. */
export class CreditRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The credits of an owner's recipients since they are watched, the last seen first. */
  async list(ownerId: string, { recipient, mint, memo, before, limit }: CreditQuery): Promise<readonly CreditJson[]> {
    const { db } = this.#database;
    const id = sql<string>`credit.signature || '.' || credit.token_account`;
    const rows = await db
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
        query.where(sql<boolean>`(credit.seen_at, ${id}) < (${before?.createdAt.getTime()}, ${before?.id})`),
      )
      .orderBy('credit.seen_at', 'desc')
      .orderBy(id, 'desc')
      .limit(limit)
      .execute();
    return asJson(db, ownerId, rows);
  }

  /** Deletes some final credits that were seen before a time and are not listed again by a scan; returns how many. */
  async prune(seenBefore: Date): Promise<number> {
    const { db, whenNotBusy } = this.#database;
    const some = db
      .selectFrom('credits as credit')
      .select(['credit.token_account', 'credit.signature'])
      .where('credit.seen_at', '<', seenBefore.getTime())
      .where('credit.commitment', '=', 'finalized')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('watched_accounts as account')
              .select('account.mint')
              .whereRef('account.token_account', '=', 'credit.token_account')
              .whereRef('account.floor_slot', '<=', 'credit.slot'),
          ),
        ),
      )
      .limit(creditsPerPrune);
    const deleted = db
      .deleteFrom('credits')
      .where(({ eb, refTuple }) =>
        eb(refTuple('token_account', 'signature'), 'in', some.$asTuple('token_account', 'signature')),
      );
    const { numDeletedRows } = await whenNotBusy(() => deleted.executeTakeFirst());
    return Number(numDeletedRows);
  }
}

const creditsPerPrune = 500;

/** Returns credits as an owner reads them: with the recipient, and the owner's payment link that they are for. */
async function asJson(
  db: Kysely<StoreTables>,
  ownerId: string,
  credits: readonly (CreditRow & { wallet: string; mint: string })[],
): Promise<readonly CreditJson[]> {
  const links = new Map<string, string>();
  for (const some of inParts(credits.flatMap(referencesOf))) {
    const rows = await db
      .selectFrom('payment_links')
      .select(['id', 'reference'])
      .where('owner_id', '=', ownerId)
      .where('reference', 'in', some)
      .execute();
    for (const { id, reference } of rows) links.set(reference, id);
  }
  return credits.map((credit) => ({
    id: `${credit.signature}.${credit.token_account}`,
    signature: credit.signature,
    recipient: credit.wallet,
    token_mint_address: credit.mint,
    token_account: credit.token_account,
    amount: credit.amount,
    payer: credit.payer,
    memo: credit.memo,
    references: referencesOf(credit),
    payment_link_id: referencesOf(credit).flatMap((reference) => links.get(reference) ?? [])[0] ?? null,
    state: credit.commitment,
    slot: credit.slot.toString(),
    block_time: credit.block_time,
    seen_at: new Date(credit.seen_at).toISOString(),
  }));
}

function referencesOf({ reference_addresses }: CreditRow): string[] {
  return JSON.parse(reference_addresses);
}
