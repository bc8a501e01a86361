import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { sandboxKeyId } from '../../keys/sandbox-key.ts';
import type { RecordLedger } from './ledger-store.ts';

/** The condition that a row of `payment_links`, or of an alias of it, is a link on a ledger. */
export function isOnLedger({ genesisHash, ownsUnnamed }: RecordLedger, table = 'payment_links'): RawBuilder<SqlBool> {
  const named = sql.ref(`${table}.genesis_hash`);
  if (!ownsUnnamed) return sql`${named} = ${genesisHash}`;
  // The key of sandboxes works on no network.
  const isUnnamed = sql`${named} is null and ${sql.ref(`${table}.owner_id`)} <> ${sandboxKeyId}`;
  return sql`(${named} = ${genesisHash} or (${isUnnamed}))`;
}
