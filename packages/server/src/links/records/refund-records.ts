import type { Kysely } from 'kysely';
import type { LinkRefundRow, StoreTables } from '../../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../../store/sql-database.ts';
import type { LinkRefund } from './payment-link.ts';
import { readAddress, readAmount, readMint, toInteger } from './payment-link-rows.ts';

/** The refunds of links by the id of each, the oldest first. */
export async function readRefunds(
  db: Kysely<StoreTables>,
  linkIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkRefund[]>> {
  const refunds: LinkRefund[] = [];
  for (const ids of inParts(linkIds)) {
    const rows = await db
      .selectFrom('link_refunds')
      .selectAll()
      .where('link_id', 'in', ids)
      .orderBy('created_at')
      .orderBy('reference')
      .execute();
    refunds.push(...rows.map(toRefund));
  }
  return Map.groupBy(refunds, ({ linkId }) => linkId);
}

/** Stores a refund by the rules of `LinkRecords.reserveRefund`. */
export function reserveRefund(
  { db, whenNotBusy }: SqlDatabase,
  refund: LinkRefund,
  received: bigint,
): Promise<boolean> {
  return whenNotBusy(() =>
    db.transaction().execute(async (transaction) => {
      // Takes the lock, so that the second of two concurrent refunds sees the first.
      await transaction
        .updateTable('payment_links')
        .set(({ ref }) => ({ id: ref('id') }))
        .where('id', '=', refund.linkId)
        .execute();
      const others = (await readRefunds(transaction, [refund.linkId])).get(refund.linkId) ?? [];
      const isBuilt = others.some(({ key, state }) => key === refund.key && state !== 'expired');
      if (isBuilt || reservedOf(others, refund.payment) + refund.amount > received) return false;
      await transaction.insertInto('link_refunds').values(toRow(refund)).execute();
      return true;
    }),
  );
}

/** Returns how much of a payment is refunded, or may still be: base units. */
export function reservedOf(refunds: readonly LinkRefund[], payment: string): bigint {
  return refunds
    .filter((refund) => refund.payment === payment && refund.state !== 'expired')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** Stores what became of a refund, unless that is final already. */
export async function noteRefund(
  { db, whenNotBusy }: SqlDatabase,
  { reference, state, signature }: Pick<LinkRefund, 'reference' | 'state' | 'signature'>,
): Promise<void> {
  await whenNotBusy(() =>
    db
      .updateTable('link_refunds')
      .set({ state, signature })
      .where('reference', '=', reference)
      .where('state', 'in', ['issued', 'confirmed'] satisfies LinkRefund['state'][])
      .execute(),
  );
}

function toRow(refund: LinkRefund): LinkRefundRow {
  return {
    reference: refund.reference,
    link_id: refund.linkId,
    idempotency_key: refund.key,
    payment: refund.payment,
    recipient: refund.to,
    mint: refund.mint,
    amount: refund.amount.toString(),
    bytes: refund.bytes,
    last_valid_block_height: toInteger(refund.lastValidBlockHeight),
    state: refund.state,
    signature: refund.signature,
    created_at: refund.createdAt.getTime(),
  };
}

function toRefund(row: LinkRefundRow): LinkRefund {
  return {
    reference: readAddress(row.reference),
    linkId: row.link_id,
    key: row.idempotency_key,
    payment: row.payment,
    to: readAddress(row.recipient),
    mint: readMint(row.mint),
    amount: readAmount(row.amount),
    bytes: Uint8Array.from(row.bytes),
    lastValidBlockHeight: BigInt(row.last_valid_block_height),
    state: row.state,
    signature: row.signature,
    createdAt: new Date(row.created_at),
  };
}
