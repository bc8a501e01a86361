import type { CompiledQuery, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Address } from 'splwright-core';
import { isOnLedger } from '../ledgers/is-on-ledger.ts';
import { idOnLedger, type RecordLedger } from '../ledgers/ledger-store.ts';
import { inParts } from './in-parts.ts';
import { areFewerThan, countOpenLinks, insertionOf, type OpenLinks } from './open-links.ts';
import { rowToLink, rowToPayment } from './payment-link-rows.ts';
import type {
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
import type { LinkPaymentRow, PaymentLinkRow, PaymentLinkTables } from './payment-link-tables.ts';
import { listUnsettled, pruneLinks } from './prune-links.ts';
import { saveCheck } from './save-check.ts';

/** What is counted towards the daily limit of a key, whose id is that on its ledger; base units. */
interface CountedAmount {
  keyId: string;
  day: string;
  mint: string;
  amount: bigint;
}

/** What the key store around it provides. */
export interface SqlPaymentLinksOptions {
  /**
   * Runs writes in one transaction, whose commit a loss of power does not undo.
   *
   * Resolves to the first one that changed no row, because of which none is kept; to `undefined` when each changed some.
   */
  writeDurably: (...writes: readonly CompiledQuery[]) => Promise<CompiledQuery | undefined>;
  /** Runs a write, and again for a while as long as another process has the database locked. */
  whenNotBusy: <Result>(action: () => Promise<Result>) => Promise<Result>;
  /** The write that counts an amount that is within the limit by itself; it changes no row when the sum would exceed the limit. */
  additionOf: (added: CountedAmount, limit: bigint) => CompiledQuery;
  findDailyAmounts: (keyId: string, day: string) => Promise<ReadonlyMap<string, bigint>>;
  /** The condition that a key would be accepted at `now`, and is until the transaction ends. */
  isKeyAccepted: (keyId: string, now: Date) => RawBuilder<SqlBool>;
  listOwnerKeys: PaymentLinkStore['listOwnerKeys'];
}

/** The payment links of one ledger in an SQL database. */
export class SqlPaymentLinks implements PaymentLinkStore {
  readonly #db: Kysely<PaymentLinkTables>;
  readonly #options: SqlPaymentLinksOptions;
  readonly #ledger: RecordLedger;

  /** Uses `db`, which its owner closes. */
  constructor(db: Kysely<PaymentLinkTables>, options: SqlPaymentLinksOptions, ledger: RecordLedger) {
    this.#db = db;
    this.#options = options;
    this.#ledger = ledger;
  }

  async insert(link: PaymentLink, { daily, maxOpen, needsKey }: LinkBounds = {}): Promise<LinkInsertion> {
    const { additionOf, isKeyAccepted, writeDurably } = this.#options;
    const { ownerId, keyId, createdAt, mint, maxAmount: amount } = link;
    const open: OpenLinks = { ledger: this.#ledger, ownerId, now: createdAt };
    const insertion = insertionOf(this.#db, link, this.#ledger, [
      ...(needsKey ? [isKeyAccepted(keyId, createdAt)] : []),
      ...(maxOpen === undefined ? [] : [areFewerThan(this.#db, open, maxOpen)]),
    ]);
    const added = daily && { keyId: idOnLedger(this.#ledger, keyId), day: daily.day, mint, amount };
    if (added && amount > daily.limit) return this.#limitReached(added, daily.limit);
    const addition = added && additionOf(added, daily.limit);
    const refused = await writeDurably(...(addition ? [addition] : []), insertion);
    if (refused === undefined) return { kind: 'inserted' };
    if (added && refused === addition) return this.#limitReached(added, daily.limit);
    const count = await countOpenLinks(this.#db, open);
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
    return (await this.#options.writeDurably(update.compile())) === undefined;
  }

  async noteHandedOut(id: string, at: Date): Promise<void> {
    await this.#options.whenNotBusy(() =>
      this.#db
        .updateTable('payment_links')
        .set({ handed_out_at: at.getTime() })
        .where('id', '=', id)
        .where(isOnLedger(this.#ledger))
        .execute(),
    );
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
    return this.#options.whenNotBusy(() =>
      this.#db.transaction().execute((transaction) => saveCheck(transaction, id, check)),
    );
  }

  prune(pruning: LinkPruning): Promise<PrunedLinks> {
    return this.#options.whenNotBusy(() => pruneLinks(this.#db, this.#ledger, pruning));
  }

  listUnsettled(query: UnsettledQuery): Promise<readonly string[]> {
    return listUnsettled(this.#db, this.#ledger, query);
  }

  listOwnerKeys(ownerId: string, now: Date): Promise<readonly OwnerKey[]> {
    return this.#options.listOwnerKeys(ownerId, now);
  }

  async #limitReached({ keyId, day, mint }: CountedAmount, limit: bigint): Promise<LinkInsertion> {
    const sums = await this.#options.findDailyAmounts(keyId, day);
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
