import type { ExpressionBuilder, Kysely } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';

/** A settled link, in the order in which they were settled. */
export interface LinkCursor {
  /** Milliseconds since the Unix epoch. */
  settledAt: number;
  id: string;
}

/** How many links one call looks at: each may have more than a hundred payments. */
const linksPerPrune = 50;

/**
 * Deletes some links that were settled before a time, in milliseconds since the Unix epoch, each with all its payments.
 *
 * A link whose payments are not all final stays, and so does one whose payment another link that is not settled could count. Each call
 * looks at the links after `after`; `next` is the last one of them, unless there are no more.
 */
export function pruneLinks(
  db: Kysely<StoreTables>,
  locksRows: boolean,
  { settledBefore, after }: { settledBefore: number; after?: LinkCursor },
): Promise<{ deleted: number; next: LinkCursor | undefined }> {
  return db.transaction().execute(async (transaction) => {
    let query = transaction
      .selectFrom('payment_links')
      .select(['id', 'settled_at'])
      .where('settled_at', '<', settledBefore);
    if (after) {
      query = query.where((where) =>
        where.or([
          where('settled_at', '>', after.settledAt),
          where.and([where('settled_at', '=', after.settledAt), where('id', '>', after.id)]),
        ]),
      );
    }
    const rows = await query
      .orderBy('settled_at')
      .orderBy('id')
      .limit(linksPerPrune)
      .$if(locksRows, (links) => links.forUpdate().skipLocked())
      .execute();
    const last = rows.length < linksPerPrune ? undefined : rows.at(-1);
    const next = last && last.settled_at !== null ? { settledAt: last.settled_at, id: last.id } : undefined;
    const ids = rows.map(({ id }) => id);
    return { deleted: ids.length === 0 ? 0 : await deleteLinks(transaction, ids), next };
  });
}

async function deleteLinks(db: Kysely<StoreTables>, ids: readonly string[]): Promise<number> {
  const deleted = await db
    .deleteFrom('payment_links')
    .where('id', 'in', ids)
    .where('settled_at', 'is not', null)
    .where((where) => where.or([where.not(hasPayment(where)), isPaidForGood(where)]))
    .returning('id')
    .execute();
  const gone = deleted.map(({ id }) => id);
  if (gone.length > 0) {
    await db.deleteFrom('link_payments').where('link_id', 'in', gone).execute();
    await db.deleteFrom('link_refunds').where('link_id', 'in', gone).execute();
  }
  return gone.length;
}

type Where = ExpressionBuilder<StoreTables, 'payment_links'>;

function hasPayment({ exists, selectFrom }: Where) {
  return exists(selectFrom('link_payments').select('signature').whereRef('link_id', '=', 'payment_links.id'));
}

/**
 * Whether every payment of a link is final, and no other link could still take one of them for its own.
 *
 * A payment with the references of two links pays the first of them: while the other one is not settled, the first must be known.
 */
function isPaidForGood(where: Where) {
  const { exists, selectFrom, not } = where;
  return where.and([
    not(
      exists(
        selectFrom('link_payments')
          .select('signature')
          .whereRef('link_id', '=', 'payment_links.id')
          .where('commitment', '!=', 'finalized'),
      ),
    ),
    not(
      exists(
        selectFrom('payment_links as open')
          .select('open.id')
          .where('open.settled_at', 'is', null)
          .whereRef('open.recipient', '=', 'payment_links.recipient')
          .whereRef('open.created_at', '<=', 'payment_links.settled_at'),
      ),
    ),
  ]);
}

/** Which links to look at once more. Times are milliseconds since the Unix epoch. */
interface UnsettledQuery {
  expiredBefore: number;
  /** Those that were asked about later are left out. */
  checkedBefore: number;
  /** How long after its end a link is asked about again. */
  checkedForMs: number;
  /** Only ids that come after it. */
  afterId: string;
  limit: number;
}

/** Returns the ids of some links that have expired before a time and are not settled, in their order. */
export async function listUnsettled(
  db: Kysely<StoreTables>,
  { expiredBefore, checkedBefore, checkedForMs, afterId, limit }: UnsettledQuery,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('payment_links')
    .select('id')
    .where('settled_at', 'is', null)
    .where('expires_at', '<', expiredBefore)
    .where('id', '>', afterId)
    .where((where) =>
      where.or([
        where('checked_at', 'is', null),
        where.and([
          where('checked_at', '<', checkedBefore),
          where('checked_at', '<', where('expires_at', '+', checkedForMs)),
        ]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
