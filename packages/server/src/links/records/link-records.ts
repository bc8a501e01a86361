import { type CompiledQuery, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from 'splwright-core';
import type { ListPage } from '../../app/list-cursor.ts';
import { metadataPair } from '../../app/metadata.ts';
import type { DailyAmount } from '../../keys/api-key-record.ts';
import { isAccepted, listActiveKeys } from '../../keys/records/key-rows.ts';
import { additionOf, findDailyAmounts } from '../../keys/records/usage-records.ts';
import type { LinkPaymentRow, PaymentLinkRow, StoreTables } from '../../store/schema/tables.ts';
import { inParts, inTransaction, type SqlDatabase, writeTogether } from '../../store/sql-database.ts';
import { findIssued, issueSponsored, issueTransaction, pruneIssued } from './issued-transactions.ts';
import type {
  IssuedTransaction,
  LinkBounds,
  LinkCheck,
  LinkFilter,
  LinkInsertion,
  LinkRefund,
  ListedPaymentLink,
  OwnerKey,
  PaymentLink,
  StoredPaymentLink,
} from './payment-link.ts';
import { linkToRow, rowToLink, rowToPayment, toInteger } from './payment-link-rows.ts';
import { listUnsettled, pruneLinks } from './prune-links.ts';
import { noteRefund, readRefunds, reserveRefund } from './refund-records.ts';
import { type DescribeLink, saveCheck } from './save-check.ts';

/** Stores payment links and what was paid to them, for all processes on one database. */
export class LinkRecords {
  readonly #db: Kysely<StoreTables>;
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#db = database.db;
    this.#database = database;
  }

  /**
   * Stores a new link and counts its amount, both or neither.
   *
   * A refused link is never visible. The sum of the day is exact, also among processes; on PostgreSQL links that are made at the
   * same moment may be a few more than `maxOpen`.
   */
  async insert(link: PaymentLink, { daily, maxOpen, needsKey }: LinkBounds = {}): Promise<LinkInsertion> {
    const { db, locksRows } = this.#database;
    const { ownerId, keyId, createdAt } = link;
    const open = countOpenLinks(db, ownerId, createdAt);
    const insertion = insertionOf(db, link, [
      ...(needsKey ? [isAccepted(db, keyId, createdAt, locksRows)] : []),
      ...(maxOpen === undefined ? [] : [sql<SqlBool>`${open} < ${maxOpen}`]),
    ]);
    const counted = [link, ...link.otherTokens]
      .flatMap(({ mint, maxAmount: amount }) => {
        const limit = daily?.limits.get(mint);
        return daily && limit !== undefined ? [{ added: { keyId, day: daily.day, mint, amount }, limit }] : [];
      })
      // In one order for all that counts: no two wait each for the other.
      .sort((one, other) => (one.added.mint < other.added.mint ? -1 : 1));
    const tooMuch = counted.find(({ added, limit }) => added.amount > limit);
    if (tooMuch) return this.#limitReached(tooMuch.added, tooMuch.limit);
    const additions = counted.map(({ added, limit }) => additionOf(db, added, limit));
    const others = link.otherTokens.map(({ destination, mint }) => {
      const row = { link_id: link.id, token_account: destination, mint };
      return db.insertInto('link_other_accounts').values(row).compile();
    });
    const refused = await writeTogether(this.#database, ...additions, insertion, ...others);
    if (refused === undefined) return { kind: 'inserted' };
    const reached = counted[additions.indexOf(refused)];
    if (reached) return this.#limitReached(reached.added, reached.limit);
    const count = Number((await open.executeTakeFirstOrThrow()).count);
    if (maxOpen !== undefined && count >= maxOpen) return { kind: 'too_many_open', open: count, maxOpen };
    return { kind: 'key_ended' };
  }

  /** The link with this id, whatever key owns it. */
  async find(id: string): Promise<StoredPaymentLink | undefined> {
    const row = await this.#db.selectFrom('payment_links').selectAll().where('id', '=', id).executeTakeFirst();
    return row && (await this.#withPayments([row]))[0];
  }

  /** A page of the links of an owner with the payments that count, the newest first. */
  async list(
    ownerId: string,
    { limit, before, filter = {} }: ListPage & { filter?: LinkFilter },
  ): Promise<readonly ListedPaymentLink[]> {
    let query = this.#db
      .selectFrom('payment_links')
      .selectAll()
      .select((links) =>
        links
          .selectFrom('link_payments')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .whereRef('link_id', '=', 'payment_links.id')
          .where('flaw', 'is not', null)
          .as('flawed_count'),
      )
      .where('owner_id', '=', ownerId)
      .where((where) => where.and(conditionsOf(where, filter)));
    if (before) {
      const createdAt = before.createdAt.getTime();
      query = query.where((where) =>
        where.or([
          where('created_at', '<', createdAt),
          where.and([where('created_at', '=', createdAt), where('id', '<', before.id)]),
        ]),
      );
    }
    const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
    const links = await this.#withPayments(rows, { onlyCounting: true });
    return links.map((link, index) => ({ ...link, flawedCount: Number(rows[index]?.flawed_count) }));
  }

  /** Cancels a link; false when it was canceled before or does not exist. */
  async cancel(id: string, at: Date): Promise<boolean> {
    const update = this.#db
      .updateTable('payment_links')
      .set({ cancelled_at: at.getTime() })
      .where('id', '=', id)
      .where('cancelled_at', 'is', null);
    const { numUpdatedRows } = await this.#database.whenNotBusy(() => update.executeTakeFirst());
    return numUpdatedRows > 0n;
  }

  /** Notes that a payer is given a transaction, and up to which block height it can land; a higher one that is noted stays. */
  async noteHandedOut(id: string, at: Date, height: bigint): Promise<void> {
    const reached = toInteger(height);
    await this.#database.whenNotBusy(() =>
      this.#db
        .updateTable('payment_links')
        .set(({ case: when, ref }) => ({
          handed_out_at: at.getTime(),
          handed_out_height: when()
            .when('handed_out_height', '>', reached)
            .then(ref('handed_out_height'))
            .else(reached)
            .end(),
        }))
        .where('id', '=', id)
        .execute(),
    );
  }

  /**
   * Stores a newly built transaction for its payer, unless the one that this payer was given before for the same amount can still
   * land and no payment of that amount was seen since.
   *
   * Returns what this payer was given that can land by its blockhash, one transaction for each amount: the one of the same amount is
   * what to give. Of two processes that store at the same moment both return the same.
   */
  issue(built: IssuedTransaction): Promise<readonly IssuedTransaction[]> {
    return issueTransaction(this.#database, built);
  }

  /** See `findIssued`. */
  findIssued(payer: Pick<IssuedTransaction, 'linkId' | 'payer'>, newestHeight: bigint): ReturnType<typeof findIssued> {
    return findIssued(this.#db, payer, newestHeight);
  }

  /**
   * Stores a transaction that a sponsor has signed, and adds what it costs to sums of the day, both or neither: unless another one of its
   * payer for the link can still land and is not among those that have, or a sum would exceed its limit.
   */
  issueSponsored(
    built: IssuedTransaction,
    landed: readonly Uint8Array[],
    counted: Parameters<typeof issueSponsored>[3],
  ): ReturnType<typeof issueSponsored> {
    return issueSponsored(this.#database, built, landed, counted);
  }

  /** Deletes some of the issued transactions that can no longer land; returns how many: 0 when none are left. */
  pruneIssued(): Promise<number> {
    return this.#database.whenNotBusy(() => pruneIssued(this.#db, this.#database.locksRows));
  }

  /**
   * Stores a refund that was built; false when more would then be held of its payment than was `received`, or another one under its
   * key may have landed or may still land.
   */
  reserveRefund(refund: LinkRefund, received: bigint): Promise<boolean> {
    return reserveRefund(this.#database, refund, received);
  }

  /** Stores what became of a refund, unless that is final already. */
  noteRefund(refund: Parameters<typeof noteRefund>[1]): Promise<void> {
    return noteRefund(this.#database, refund);
  }

  async findByReferences(references: readonly Address[]): Promise<readonly PaymentLink[]> {
    const found: PaymentLink[] = [];
    for (const some of inParts(references)) {
      const rows = await this.#db.selectFrom('payment_links').selectAll().where('reference', 'in', some).execute();
      found.push(...rows.map(rowToLink));
    }
    return found;
  }

  /**
   * Stores what a check found, all of it or nothing: adds and changes payments, and deletes dropped ones.
   *
   * A finalized payment is neither changed nor deleted, unless its flaw is `not_shown`, and a settled link stays settled.
   * `at`: when it is told, in milliseconds since the Unix epoch.
   */
  saveCheck(
    id: string,
    check: LinkCheck,
    describe: DescribeLink = notDescribed,
    at = check.checkedAt.getTime(),
  ): Promise<void> {
    return inTransaction(this.#database, (transaction) => saveCheck(transaction, id, check, describe, at));
  }

  /** See `pruneLinks`. */
  prune(pruning: Parameters<typeof pruneLinks>[2]): ReturnType<typeof pruneLinks> {
    return this.#database.whenNotBusy(() => pruneLinks(this.#db, this.#database.locksRows, pruning));
  }

  /** See `listUnsettled`. */
  listUnsettled(query: Parameters<typeof listUnsettled>[1]): Promise<readonly string[]> {
    return listUnsettled(this.#db, query);
  }

  /** The keys of this chain of rotations that would be accepted at `now`, the newest first. */
  listOwnerKeys(ownerId: string, now: Date): Promise<readonly OwnerKey[]> {
    return listActiveKeys(this.#db, ownerId, now);
  }

  async #limitReached({ keyId, day, mint }: DailyAmount & { mint: Address }, limit: bigint): Promise<LinkInsertion> {
    const sums = await findDailyAmounts(this.#db, keyId, day);
    return { kind: 'daily_limit_reached', mint, builtToday: sums.get(mint) ?? 0n, limit };
  }

  // Read after the links: what a check stores in between belongs to a newer state of a link than the one returned, never to an
  // older one, so that no settled link lacks a payment.
  async #withPayments(
    rows: readonly PaymentLinkRow[],
    { onlyCounting = false } = {},
  ): Promise<readonly StoredPaymentLink[]> {
    const payments = new Map<string, LinkPaymentRow[]>(rows.map(({ id }) => [id, []]));
    for (const ids of inParts([...payments.keys()])) {
      const found = await this.#db
        .selectFrom('link_payments')
        .selectAll()
        .where('link_id', 'in', ids)
        .$if(onlyCounting, (payments) => payments.where('flaw', 'is', null))
        .execute();
      for (const payment of found) payments.get(payment.link_id)?.push(payment);
    }
    const refunds = await readRefunds(this.#db, [...payments.keys()]);
    return rows.map((row) => {
      const own = refunds.get(row.id);
      return {
        link: rowToLink(row),
        payments: (payments.get(row.id) ?? []).sort(bySlot).map(rowToPayment),
        ...(own && { refunds: own }),
      };
    });
  }
}

const notDescribed: DescribeLink = ({ link: { id } }) => ({ id });

function bySlot(a: LinkPaymentRow, b: LinkPaymentRow): number {
  return a.slot - b.slot || (a.signature < b.signature ? -1 : 1);
}

/** Returns the statement that stores a link, and changes no row unless all conditions hold. */
function insertionOf(
  db: Kysely<StoreTables>,
  link: PaymentLink,
  conditions: readonly RawBuilder<SqlBool>[],
): CompiledQuery {
  const columns = Object.entries(linkToRow(link));
  return sql`
    insert into payment_links (${sql.join(columns.map(([name]) => sql.ref(name)))})
    select ${sql.join(columns.map(([, value]) => value))}
    where ${sql.join([sql.lit(true), ...conditions], sql` and `)}`.compile(db);
}

/** Cancels every link that a key has made and that can still be paid; returns how many. */
export async function cancelLinksOfKey(
  db: Kysely<StoreTables>,
  { ownerId, keyId, now }: { ownerId: string; keyId: string; now: Date },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payment_links')
    .set({ cancelled_at: now.getTime() })
    .where((where) => isOpen(where, ownerId, now))
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

function conditionsOf(
  where: ExpressionBuilder<StoreTables, 'payment_links'>,
  { state, createdFrom, createdTo, metadata, reference }: LinkFilter,
) {
  // A name has no character that JSON escapes: nothing but this name with this value is written like that.
  return [
    ...(state === undefined ? [] : [isInState(where, state)]),
    ...(createdFrom === undefined ? [] : [where('created_at', '>=', createdFrom)]),
    ...(createdTo === undefined ? [] : [where('created_at', '<', createdTo)]),
    ...(metadata === undefined ? [] : [sql<SqlBool>`replace(metadata, ${metadataPair(metadata)}, '') <> metadata`]),
    ...(reference === undefined ? [] : [where('reference', '=', reference)]),
  ];
}

// As `viewOf` has it.
function isInState(
  where: ExpressionBuilder<StoreTables, 'payment_links'>,
  { name, at }: NonNullable<LinkFilter['state']>,
) {
  if (name === 'paid') return where('is_paid', '=', 1);
  const isCancelled = where.and([
    where('cancelled_at', 'is not', null),
    where('cancelled_at', '<', where.ref('expires_at')),
  ]);
  const isOver = where.or([where('settled_at', 'is not', null), where('expires_at', '<=', at)]);
  const isUnpaid = where('is_paid', '=', 0);
  if (name === 'cancelled') return where.and([isUnpaid, isCancelled]);
  return where.and([isUnpaid, where.not(isCancelled), name === 'expired' ? isOver : where.not(isOver)]);
}

// The index `payment_links_open` has these rows alone.
function isOpen(where: ExpressionBuilder<StoreTables, 'payment_links'>, ownerId: string, now: Date) {
  return where.and([
    where('owner_id', '=', ownerId),
    where('settled_at', 'is', null),
    where('cancelled_at', 'is', null),
    where('is_paid', '=', sql.lit(0)),
    where('expires_at', '>', now.getTime()),
  ]);
}

function countOpenLinks(db: Kysely<StoreTables>, ownerId: string, now: Date) {
  return db
    .selectFrom('payment_links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((where) => isOpen(where, ownerId, now));
}
