import type { Kysely } from 'kysely';
import type { ApiKeyRecord, KeyEnding, KeyStore } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { cancelLinksOfKey } from './links/open-links.ts';
import type { PaymentLinkTables } from './links/payment-link-tables.ts';
import { SqlPaymentLinks, type SqlPaymentLinksOptions } from './links/sql-payment-links.ts';
import { additionOf, findDailyAmounts } from './sql-daily-amounts.ts';
import { isAccepted, listActiveKeys } from './sql-key-rows.ts';

/** What differs between the databases. */
interface LinkDatabase extends Pick<SqlPaymentLinksOptions, 'writeDurably' | 'whenNotBusy'> {
  /** Whether a query can lock the rows that it reads: a transaction of SQLite locks the file. */
  locksRows: boolean;
}

/** Returns what makes the store of a ledger's payment links, in the database of the keys that make them. */
export function sqlPaymentLinksOf(
  db: Kysely<KeyTables>,
  { locksRows, ...database }: LinkDatabase,
): KeyStore['paymentLinksOf'] {
  const options: SqlPaymentLinksOptions = {
    ...database,
    additionOf: (added, limit) => additionOf(db, added, limit),
    findDailyAmounts: (keyId, day) => findDailyAmounts(db, keyId, day),
    isKeyAccepted: (keyId, now) => isAccepted(db, keyId, now, locksRows),
    listOwnerKeys: (ownerId, now) => listActiveKeys(db, ownerId, now),
  };
  const links = db.$pickTables<keyof PaymentLinkTables>();
  return (ledger) => new SqlPaymentLinks(links, options, ledger);
}

/**
 * Cancels the open links that a key has made, where its ending says so; returns how many.
 *
 * To be called in the transaction that ends the key, after its row was written: no link of the key is stored meanwhile.
 */
export async function closeLinks(
  db: Kysely<KeyTables>,
  { id: keyId, rootId: ownerId }: ApiKeyRecord,
  { closesLinks = false }: KeyEnding,
  now: Date,
): Promise<number> {
  return closesLinks ? cancelLinksOfKey(db.$pickTables<keyof PaymentLinkTables>(), { ownerId, keyId, now }) : 0;
}
