import type { Kysely } from 'kysely';
import type { Address } from 'splwright-core';
import type { DailyAmount } from '../../keys/key-store.ts';
import { isAccepted, listActiveKeys } from '../../keys/records/key-rows.ts';
import { additionOf, findDailyAmounts } from '../../keys/records/sql-daily-amounts.ts';
import { idOnLedger, type RecordLedger } from '../../store/ledger-store.ts';
import type { LinkPaymentRow, PaymentLinkRow, StoreTables } from '../../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../../store/sql-database.ts';
import { isOnLedger } from '../../store/sql-ledgers.ts';
import { issueTransaction, pruneIssued } from './issued-transactions.ts';
import { areFewerThan, countOpenLinks, insertionOf, type OpenLinks } from './open-links.ts';
import { rowToLink, rowToPayment, toInteger } from './payment-link-rows.ts';
import type {
  IssuedTransaction,
  LinkBounds,
  LinkCheck,
  LinkInsertion,
  LinkPruning,
  OwnerKey,
  PaymentLink,
  PaymentLinkStore,
  PrunedLinks,
  StoredPaymentLink,
  UnsettledQuery,
} from './payment-link-store.ts';
import { listUnsettled, pruneLinks } from './prune-links.ts';
import { saveCheck } from './save-check.ts';

/** The payment links of one ledger in an SQL database. */
export class SqlPaymentLinks implements PaymentLinkStore {
  readonly #db: Kysely<StoreTables>;
  readonly #database: SqlDatabase;
  readonly #ledger: RecordLedger;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase, ledger: RecordLedger) {
    this.#db = database.db;
    this.#database = database;
    this.#ledger = ledger;
  }

  async insert(link: PaymentLink, { daily, maxOpen, needsKey }: LinkBounds = {}): Promise<LinkInsertion> {
    const { db, locksRows, writeDurably } = this.#database;
    const { ownerId, keyId, createdAt, mint, maxAmount: amount } = link;
    const open: OpenLinks = { ledger: this.#ledger, ownerId, now: createdAt };
    const insertion = insertionOf(db, link, this.#ledger, [
      ...(needsKey ? [isAccepted(db, keyId, createdAt, locksRows)] : []),
      ...(maxOpen === undefined ? [] : [areFewerThan(db, open, maxOpen)]),
    ]);
    const added = daily && { keyId: idOnLedger(this.#ledger, keyId), day: daily.day, mint, amount };
    if (added && amount > daily.limit) return this.#limitReached(added, daily.limit);
    const addition = added && additionOf(db, added, daily.limit);
    const refused = await writeDurably(...(addition ? [addition] : []), insertion);
    if (refused === undefined) return { kind: 'inserted' };
    if (added && refused === addition) return this.#limitReached(added, daily.limit);
    const count = await countOpenLinks(db, open);
    if (maxOpen !== undefined && count >= maxOpen) return { kind: 'too_many_open', open: count, maxOpen };
    return { kind: 'key_ended' };
  }

  async find(id: string): Promise<StoredPaymentLink | undefined> {
    const row = await this.#ownLinks().selectAll().where('id', '=', id).executeTakeFirst();
    return row && (await this.#withPayments([row]))[0];
  }

  async list(
    ownerId: string,
    { limit, before }: { limit: number; before?: { createdAt: Date; id: string } },
  ): Promise<readonly StoredPaymentLink[]> {
    let query = this.#ownLinks().selectAll().where('owner_id', '=', ownerId);
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
    return this.#withPayments(rows);
  }

  async cancel(id: string, at: Date): Promise<boolean> {
    const update = this.#db
      .updateTable('payment_links')
      .set({ cancelled_at: at.getTime() })
      .where('id', '=', id)
      .where(isOnLedger(this.#ledger))
      .where('cancelled_at', 'is', null);
    return (await this.#database.writeDurably(update.compile())) === undefined;
  }

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
        .where(isOnLedger(this.#ledger))
        .execute(),
    );
  }

  issue(built: IssuedTransaction): Promise<readonly IssuedTransaction[]> {
    return issueTransaction(this.#database, this.#ledger, built);
  }

  pruneIssued(): Promise<number> {
    return this.#database.whenNotBusy(() => pruneIssued(this.#db, this.#ledger));
  }

  async findByReferences(references: readonly Address[]): Promise<readonly PaymentLink[]> {
    const found: PaymentLink[] = [];
    for (const some of inParts(references)) {
      const rows = await this.#ownLinks().selectAll().where('reference', 'in', some).execute();
      found.push(...rows.map(rowToLink));
    }
    return found;
  }

  saveCheck(id: string, check: LinkCheck): Promise<void> {
    return this.#database.whenNotBusy(() =>
      this.#db.transaction().execute((transaction) => saveCheck(transaction, id, check)),
    );
  }

  prune(pruning: LinkPruning): Promise<PrunedLinks> {
    return this.#database.whenNotBusy(() => pruneLinks(this.#db, this.#ledger, pruning));
  }

  listUnsettled(query: UnsettledQuery): Promise<readonly string[]> {
    return listUnsettled(this.#db, this.#ledger, query);
  }

  listOwnerKeys(ownerId: string, now: Date): Promise<readonly OwnerKey[]> {
    return listActiveKeys(this.#db, ownerId, now);
  }

  async #limitReached({ keyId, day, mint }: DailyAmount, limit: bigint): Promise<LinkInsertion> {
    const sums = await findDailyAmounts(this.#db, keyId, day);
    return { kind: 'daily_limit_reached', builtToday: sums.get(mint) ?? 0n, limit };
  }

  #ownLinks() {
    return this.#db.selectFrom('payment_links').where(isOnLedger(this.#ledger));
  }

  // Read after the links: what a check stores in between belongs to a newer state of a link than the one returned, never to an
  // older one, so that no settled link lacks a payment.
  async #withPayments(rows: readonly PaymentLinkRow[]): Promise<readonly StoredPaymentLink[]> {
    const payments = new Map<string, LinkPaymentRow[]>(rows.map(({ id }) => [id, []]));
    for (const ids of inParts([...payments.keys()])) {
      const found = await this.#db.selectFrom('link_payments').selectAll().where('link_id', 'in', ids).execute();
      for (const payment of found) payments.get(payment.link_id)?.push(payment);
    }
    return rows.map((row) => ({
      link: rowToLink(row),
      payments: (payments.get(row.id) ?? []).sort(bySlot).map(rowToPayment),
    }));
  }
}

function bySlot(a: LinkPaymentRow, b: LinkPaymentRow): number {
  return a.slot - b.slot || (a.signature < b.signature ? -1 : 1);
}
