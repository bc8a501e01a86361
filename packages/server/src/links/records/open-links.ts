import { type CompiledQuery, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { PaymentLink } from './payment-link.ts';
import { linkToRow } from './payment-link-rows.ts';

/** The links of an owner that can be paid at `now`. */
export interface OpenLinks {
  ownerId: string;
  now: Date;
}

/** Returns how many open links there are. */
export async function countOpenLinks(db: Kysely<StoreTables>, links: OpenLinks): Promise<number> {
  return Number((await countOf(db, links).executeTakeFirstOrThrow()).count);
}

/** The condition that there are fewer open links than a limit. */
export function areFewerThan(db: Kysely<StoreTables>, links: OpenLinks, limit: number): RawBuilder<SqlBool> {
  return sql`${countOf(db, links)} < ${limit}`;
}

/** Returns the statement that stores a link, and changes no row unless all conditions hold. */
export function insertionOf(
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

function countOf(db: Kysely<StoreTables>, { ownerId, now }: OpenLinks) {
  return db
    .selectFrom('payment_links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((where) => isOpen(where, ownerId, now));
}
