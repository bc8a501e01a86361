import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Address } from 'splwright-core';
import { linkToRow, paymentToRow, rowToLink, rowToPayment } from './payment-link-rows.ts';
import type {
  LinkCheck,
  LinkPayment,
  LinkPruning,
  PaymentLink,
  PaymentLinkStore,
  PrunedLinks,
  StoredPaymentLink,
  UnsettledQuery,
} from './payment-link-store.ts';
import type { LinkPaymentRow, PaymentLinkRow, PaymentLinkTables } from './payment-link-tables.ts';
import { listUnsettled, pruneLinks } from './prune-links.ts';

/** What the key store around it provides. */
export interface SqlPaymentLinksOptions {
  /** Runs one write whose commit a loss of power does not undo; resolves to the number of rows that it changed. */
  writeDurably: (query: CompiledQuery) => Promise<bigint>;
  /** Runs a write, and again for a while as long as another process has the database locked. */
  whenNotBusy: <Result>(action: () => Promise<Result>) => Promise<Result>;
  isOwnerActive: PaymentLinkStore['isOwnerActive'];
}

/** SQLite allows 32,766 parameters in a query; so few keep one short. */
const maxValuesPerQuery = 500;

/** The payment links in an SQL database. */
export class SqlPaymentLinks implements PaymentLinkStore {
  readonly #db: Kysely<PaymentLinkTables>;
  readonly #options: SqlPaymentLinksOptions;

  /** Uses `db`, which its owner closes. */
  constructor(db: Kysely<PaymentLinkTables>, options: SqlPaymentLinksOptions) {
    this.#db = db;
    this.#options = options;
  }

  async insert(link: PaymentLink): Promise<void> {
    await this.#options.writeDurably(this.#db.insertInto('payment_links').values(linkToRow(link)).compile());
  }

  async find(id: string): Promise<StoredPaymentLink | undefined> {
    const row = await this.#db.selectFrom('payment_links').selectAll().where('id', '=', id).executeTakeFirst();
    return row && (await this.#withPayments([row]))[0];
  }

  async list(
    ownerId: string,
    { limit, before }: { limit: number; before?: { createdAt: Date; id: string } },
  ): Promise<readonly StoredPaymentLink[]> {
    let query = this.#db.selectFrom('payment_links').selectAll().where('owner_id', '=', ownerId);
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
      .where('cancelled_at', 'is', null);
    return (await this.#options.writeDurably(update.compile())) > 0n;
  }

  async findByReferences(references: readonly Address[]): Promise<readonly PaymentLink[]> {
    const found: PaymentLink[] = [];
    for (const some of inParts(references)) {
      const rows = await this.#db.selectFrom('payment_links').selectAll().where('reference', 'in', some).execute();
      found.push(...rows.map(rowToLink));
    }
    return found;
  }

  async saveCheck(id: string, check: LinkCheck): Promise<void> {
    await this.#options.whenNotBusy(() =>
      this.#db.transaction().execute(async (transaction) => {
        const isNewest = await noteCheck(transaction, id, check);
        for (const payment of check.payments) {
          if (isNewest || payment.commitment === 'finalized') await savePayment(transaction, id, payment);
        }
        if (!isNewest) return;
        await dropPayments(transaction, id, check.dropped);
        if (check.settledAt !== null) await settle(transaction, id, check.settledAt);
      }),
    );
  }

  prune(pruning: LinkPruning): Promise<PrunedLinks> {
    return this.#options.whenNotBusy(() => pruneLinks(this.#db, pruning));
  }

  listUnsettled(query: UnsettledQuery): Promise<readonly string[]> {
    return listUnsettled(this.#db, query);
  }

  isOwnerActive(ownerId: string, now: Date): Promise<boolean> {
    return this.#options.isOwnerActive(ownerId, now);
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

/**
 * Notes that a link was checked; false when a newer check is stored, or the link is settled.
 *
 * Such a check may have seen a payment that a fork has dropped since: it must not bring it back.
 */
async function noteCheck(db: Transaction<PaymentLinkTables>, id: string, check: LinkCheck): Promise<boolean> {
  const checkedAt = check.checkedAt.getTime();
  // The write comes first and takes the lock, so that the second of two concurrent checks sees the result of the first.
  const { numUpdatedRows } = await db
    .updateTable('payment_links')
    .set({
      checked_at: checkedAt,
      ...(check.examinedUntil !== undefined && { examined_until: check.examinedUntil }),
    })
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .where((where) => where.or([where('checked_at', 'is', null), where('checked_at', '<=', checkedAt)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function savePayment(db: Transaction<PaymentLinkTables>, id: string, payment: LinkPayment): Promise<void> {
  const { link_id, signature, ...columns } = paymentToRow(id, payment);
  await db
    .insertInto('link_payments')
    .values({ link_id, signature, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['link_id', 'signature'])
        .doUpdateSet(columns)
        .where((where) =>
          where.or([
            where('link_payments.commitment', '!=', 'finalized'),
            where('link_payments.flaw', '=', 'not_shown' satisfies LinkPayment['flaw']),
          ]),
        ),
    )
    .execute();
}

async function dropPayments(
  db: Transaction<PaymentLinkTables>,
  id: string,
  signatures: readonly string[],
): Promise<void> {
  for (const some of inParts(signatures)) {
    await db
      .deleteFrom('link_payments')
      .where('link_id', '=', id)
      .where('signature', 'in', some)
      .where('commitment', '!=', 'finalized')
      .execute();
  }
}

/** Settles a link, unless a payment of it is not final: another check may have stored one that this check did not know. */
async function settle(db: Transaction<PaymentLinkTables>, id: string, settledAt: Date): Promise<void> {
  await db
    .updateTable('payment_links')
    .set({ settled_at: settledAt.getTime() })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('link_payments')
            .select('signature')
            .where('link_id', '=', id)
            .where('commitment', '!=', 'finalized'),
        ),
      ),
    )
    .execute();
}

function bySlot(a: LinkPaymentRow, b: LinkPaymentRow): number {
  return a.slot - b.slot || (a.signature < b.signature ? -1 : 1);
}

function* inParts<Value>(values: readonly Value[]): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += maxValuesPerQuery) {
    yield values.slice(start, start + maxValuesPerQuery);
  }
}
