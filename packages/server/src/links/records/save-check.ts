import type { Transaction } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import { inParts } from '../../store/sql-database.ts';
import { recordEvent } from '../../webhooks/record-event.ts';
import { linkEvents } from '../link-events.ts';
import type { LinkCheck, LinkPayment, StoredPaymentLink } from './payment-link.ts';
import { paymentToRow, rowToLink, rowToPayment } from './payment-link-rows.ts';
import { readRefunds } from './refund-records.ts';

/** Returns a link as its owner reads it at a time, in milliseconds since the Unix epoch: what events of it have. */
export type DescribeLink = (stored: StoredPaymentLink, now: number) => object;

/**
 * Stores what a check found, by the rules of `LinkRecords.saveCheck`, and tells what it changes to the endpoints of the link's owner.
 *
 * `at`: when it is told, in milliseconds since the Unix epoch. A check may have begun before later events were listed.
 */
export async function saveCheck(
  db: Transaction<StoreTables>,
  id: string,
  check: LinkCheck,
  describe: DescribeLink,
  at: number,
): Promise<void> {
  // Takes the lock, so that the second of two concurrent checks sees what the first has told.
  await db
    .updateTable('payment_links')
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', id)
    .execute();
  if (!(await hasEndpoint(db, id))) return storeCheck(db, id, check);
  const before = await readLink(db, id);
  await storeCheck(db, id, check);
  const after = await readLink(db, id);
  if (!before || !after) return;
  for (const type of linkEvents(before, after)) {
    await recordEvent(db, { ownerId: after.link.ownerId, type, objectId: id, data: describe(after, at), at });
  }
}

async function hasEndpoint(db: Transaction<StoreTables>, id: string): Promise<boolean> {
  const endpoint = await db
    .selectFrom('webhook_endpoints as endpoint')
    .innerJoin('payment_links as link', 'link.owner_id', 'endpoint.owner_id')
    .select('endpoint.id')
    .where('link.id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return endpoint !== undefined;
}

async function readLink(db: Transaction<StoreTables>, id: string): Promise<StoredPaymentLink | undefined> {
  const row = await db.selectFrom('payment_links').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return undefined;
  const payments = await db
    .selectFrom('link_payments')
    .selectAll()
    .where('link_id', '=', id)
    .orderBy('slot')
    .orderBy('signature')
    .execute();
  const refunds = (await readRefunds(db, [id])).get(id);
  return { link: rowToLink(row), payments: payments.map(rowToPayment), ...(refunds && { refunds }) };
}

async function storeCheck(db: Transaction<StoreTables>, id: string, check: LinkCheck): Promise<void> {
  const isNewest = await noteCheck(db, id, check);
  for (const payment of check.payments) {
    if (isNewest || payment.commitment === 'finalized') await savePayment(db, id, payment);
  }
  if (isNewest) await dropPayments(db, id, check.dropped);
  if (check.payments.length + check.dropped.length > 0) await notePaid(db, id);
  if (isNewest && check.settledAt !== null) await settle(db, id, check.settledAt);
}

/**
 * Notes that a link was checked; false when a newer check is stored, or the link is settled.
 *
 * Such a check may have seen a payment that a fork has dropped since: it must not bring it back.
 */
async function noteCheck(db: Transaction<StoreTables>, id: string, check: LinkCheck): Promise<boolean> {
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

async function savePayment(db: Transaction<StoreTables>, id: string, payment: LinkPayment): Promise<void> {
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

async function dropPayments(db: Transaction<StoreTables>, id: string, signatures: readonly string[]): Promise<void> {
  for (const some of inParts(signatures)) {
    await db
      .deleteFrom('link_payments')
      .where('link_id', '=', id)
      .where('signature', 'in', some)
      .where('commitment', '!=', 'finalized')
      .execute();
  }
}

/** Notes whether a link for a single payment has one that counts: then it is not open, unless a fork drops the payment. */
async function notePaid(db: Transaction<StoreTables>, id: string): Promise<void> {
  await db
    .updateTable('payment_links')
    .set(({ case: when, exists, selectFrom }) => ({
      is_paid: when()
        .when(
          exists(selectFrom('link_payments').select('signature').where('link_id', '=', id).where('flaw', 'is', null)),
        )
        .then(1)
        .else(0)
        .end(),
    }))
    .where('id', '=', id)
    .where('is_single_use', '=', 1)
    .execute();
}

/** Settles a link, unless a payment of it is not final: another check may have stored one that this check did not know. */
async function settle(db: Transaction<StoreTables>, id: string, settledAt: Date): Promise<void> {
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
