import type { Kysely } from 'kysely';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { KeyStoreError } from './store-faults.ts';

/** Stands for the cluster of a database that no network has: that of a sandbox, whose ledger is new at each start. */
export const sandboxCluster = 'sandbox';

/** The tables without records, which stay when a database is emptied. */
type KeptTable = 'api_keys' | 'key_history' | 'webhook_endpoints' | 'cluster' | 'schema_steps';

/** Those of a row come before the row. */
const recordTables = [
  'idempotent_messages',
  'idempotent_requests',
  'idempotent_bytes',
  'issued_transactions',
  'link_refunds',
  'link_payments',
  'link_other_accounts',
  'payment_links',
  'event_deliveries',
  'events',
  'credits',
  'watched_accounts',
  'recipients',
  'watched_transactions',
  'watched_senders',
  'key_daily_amounts',
  'key_usage',
  'key_usage_writers',
] as const satisfies readonly Exclude<keyof StoreTables, KeptTable>[];

/**
 * Makes a database belong to a network, by its genesis hash: for good, from the first use on.
 *
 * One that a sandbox has used is emptied of its records; API keys and webhook endpoints stay. Throws a
 * `KeyStoreError` when it belongs to another network.
 */
export function claimForNetwork(database: SqlDatabase, genesisHash: string): Promise<void> {
  return inTransaction(database, async (db) => {
    const owner = await ownerOf(db);
    if (owner === genesisHash) return;
    if (owner !== undefined && owner !== sandboxCluster) throw otherNetwork(owner, `the network of ${genesisHash}`);
    if (owner === sandboxCluster) await deleteRecords(db);
    await setOwner(db, genesisHash);
  });
}

/**
 * Empties a database of records for a sandbox that starts; API keys and webhook endpoints stay.
 *
 * Throws a `KeyStoreError` when it belongs to a network, whose records are worth something.
 */
export function claimForSandbox(database: SqlDatabase): Promise<void> {
  return inTransaction(database, async (db) => {
    const owner = await ownerOf(db);
    if (owner !== undefined && owner !== sandboxCluster) throw otherNetwork(owner, 'a sandbox');
    await deleteRecords(db);
    await setOwner(db, sandboxCluster);
  });
}

/** Throws a `KeyStoreError` unless a database is still that of a sandbox: a network may have taken it over. */
export async function assertOfSandbox({ db }: Pick<SqlDatabase, 'db'>): Promise<void> {
  const owner = await ownerOf(db);
  if (owner !== sandboxCluster) throw otherNetwork(owner ?? 'nothing', 'a sandbox');
}

/** Writes to a database, so that one that takes no writes is noticed: rejects as the database does. */
export async function assertWritable({ db, whenNotBusy }: SqlDatabase, now: number): Promise<void> {
  await whenNotBusy(() => db.updateTable('cluster').set({ written_at: now }).execute());
}

function inTransaction({ db, whenNotBusy }: SqlDatabase, action: (db: Kysely<StoreTables>) => Promise<void>) {
  return whenNotBusy(() =>
    db.transaction().execute(async (transaction) => {
      // The write comes first and takes the lock: the second of two processes sees what the first has noted.
      await transaction
        .updateTable('cluster')
        .set(({ ref }) => ({ written_at: ref('written_at') }))
        .execute();
      await action(transaction);
    }),
  );
}

/** The genesis hash of the network that a database belongs to, or `sandboxCluster`; `undefined` before the first use. */
export async function ownerOf(db: Kysely<StoreTables>): Promise<string | undefined> {
  const row = await db.selectFrom('cluster').select('owner').executeTakeFirst();
  return row?.owner ?? undefined;
}

async function setOwner(db: Kysely<StoreTables>, owner: string): Promise<void> {
  await db.updateTable('cluster').set({ owner }).execute();
}

async function deleteRecords(db: Kysely<StoreTables>): Promise<void> {
  for (const table of recordTables) await db.deleteFrom(table).execute();
}

function otherNetwork(owner: string, wanted: string): KeyStoreError {
  return new KeyStoreError(
    `DATABASE_URL: the database belongs to ${owner === sandboxCluster ? 'a sandbox' : `the network of ${owner}`}, and this service ` +
      `is on ${wanted}. Name another database, or set SOLANA_RPC_URLS to nodes of the network that it belongs to.`,
  );
}
