import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import { inParts } from '../../store/sql-database.ts';
import type { KeyUsage, UsageBatch } from '../api-key-record.ts';

/** Deleting this many rows takes a few milliseconds. */
const rowsPerPrune = 1_000;
/** How long a process is remembered after its last batch: a process that retries does so within minutes. */
const writerMemoryMs = 7 * 86_400_000;

/** Adds a batch of usage in one transaction, unless it was added before. */
export function addUsage(db: Kysely<StoreTables>, batch: UsageBatch, now: Date): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    if (!(await markAsAdded(transaction, batch, now))) return;
    // Every process locks rows in the same order, so that no two wait for each other.
    const usage = [...batch.usage].sort((a, b) => compare(keyOf(a), keyOf(b)));
    for (const some of inParts(usage)) await addRows(transaction, some);
    const lastUsed = [...batch.lastUsedAt].sort(([a], [b]) => compare(a, b));
    for (const some of inParts(lastUsed)) await setLastUsed(transaction, some);
  });
}

/** Returns the usage of a key on a day, by outcome. */
export async function findUsage(db: Kysely<StoreTables>, keyId: string, day: string): Promise<readonly KeyUsage[]> {
  const rows = await db
    .selectFrom('key_usage')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('day', '=', day)
    .orderBy('outcome')
    .execute();
  return rows.map(toUsage);
}

/** Returns the usage from a day on, by day, key and outcome. */
export async function listUsage(db: Kysely<StoreTables>, fromDay: string): Promise<readonly KeyUsage[]> {
  const rows = await db
    .selectFrom('key_usage')
    .selectAll()
    .where('day', '>=', fromDay)
    .orderBy('day')
    .orderBy('key_id')
    .orderBy('outcome')
    .execute();
  return rows.map(toUsage);
}

function toUsage({ key_id: keyId, day, outcome, requests }: Selectable<StoreTables['key_usage']>): KeyUsage {
  return { keyId, day, outcome, requests };
}

/** Deletes some of the usage of all days before a day, and returns how many rows. */
export async function pruneUsage(db: Kysely<StoreTables>, day: string, locksRows: boolean): Promise<number> {
  const old = db
    .selectFrom('key_usage')
    .select(['key_id', 'day', 'outcome'])
    .where('day', '<', day)
    .orderBy('day')
    .limit(rowsPerPrune)
    .$if(locksRows, (query) => query.forUpdate().skipLocked());
  const { numDeletedRows } = await db
    .deleteFrom('key_usage')
    .where(({ eb, refTuple }) =>
      eb(refTuple('key_id', 'day', 'outcome'), 'in', old.$asTuple('key_id', 'day', 'outcome')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

// When an answer is lost the batch may have been added: the same one is then tried again.
async function markAsAdded(
  transaction: Transaction<StoreTables>,
  { writer, number }: UsageBatch,
  now: Date,
): Promise<boolean> {
  const savedAt = now.getTime();
  const forgotten = savedAt - writerMemoryMs;
  await transaction.deleteFrom('key_usage_writers').where('saved_at', '<', forgotten).execute();
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('key_usage_writers')
    .values({ id: writer, last_batch: number, saved_at: savedAt })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ last_batch: number, saved_at: savedAt })
        .where('key_usage_writers.last_batch', '<', number),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}

async function addRows(transaction: Transaction<StoreTables>, usage: readonly KeyUsage[]): Promise<void> {
  await transaction
    .insertInto('key_usage')
    .values(usage.map(({ keyId, day, outcome, requests }) => ({ key_id: keyId, day, outcome, requests })))
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'day', 'outcome']).doUpdateSet({
        requests: ({ ref, eb }) => eb(ref('key_usage.requests'), '+', ref('excluded.requests')),
      }),
    )
    .execute();
}

async function setLastUsed(
  transaction: Transaction<StoreTables>,
  lastUsed: readonly (readonly [id: string, at: number])[],
): Promise<void> {
  // The columns of a list of values are called column1 and column2 in SQLite and PostgreSQL alike.
  const values = sql.join(lastUsed.map(([id, at]) => sql`(${id}, cast(${at} as bigint))`));
  await sql`
    update api_keys set last_used_at = used.column2 from (values ${values}) as used
    where api_keys.id = used.column1 and (api_keys.last_used_at is null or api_keys.last_used_at < used.column2)
  `.execute(transaction);
}

function keyOf({ keyId, day, outcome }: KeyUsage): string {
  return `${keyId} ${day} ${outcome}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
