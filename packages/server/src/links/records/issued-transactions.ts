import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DailyAmount } from '../../keys/api-key-record.ts';
import { additionOf } from '../../keys/records/usage-records.ts';
import type { IssuedTransactionRow, StoreTables } from '../../store/schema/tables.ts';
import { type SqlDatabase, writeTogether } from '../../store/sql-database.ts';
import type { IssuedTransaction } from './payment-link.ts';
import { readAddress, readAmount, readMint, readSponsorFee, toInteger } from './payment-link-rows.ts';

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150;

/** Stores a transaction by the rules of `LinkRecords.issue`, and returns what its payer can still land. */
export async function issueTransaction(
  database: SqlDatabase,
  built: IssuedTransaction,
): Promise<readonly IssuedTransaction[]> {
  const { db } = database;
  const row = toRow(built);
  // One statement, so that of two processes one stores its own. It changes no row where the stored one is to be given again.
  const insertion = db.insertInto('issued_transactions').values(row);
  await writeTogether(
    database,
    insertion
      .onConflict((conflict) =>
        conflict
          .columns(['link_id', 'payer', 'mint', 'amount'])
          .doUpdateSet(row)
          .where(sql<SqlBool>`not (${canLand(row)} and issued_transactions.payments_before >= ${row.payments_before})`),
      )
      .compile(),
  );
  return findIssued(db, built, built.lastValidBlockHeight);
}

/** Returns what a payer of a link was given that can land when a transaction that is built now can up to `newestHeight`. */
export async function findIssued(
  db: Kysely<StoreTables>,
  { linkId, payer }: Pick<IssuedTransaction, 'linkId' | 'payer'>,
  newestHeight: bigint,
): Promise<readonly IssuedTransaction[]> {
  const rows = await db
    .selectFrom('issued_transactions')
    .selectAll()
    .where('link_id', '=', linkId)
    .where('payer', '=', payer)
    .where(canLand({ last_valid_block_height: toInteger(newestHeight) }))
    .execute();
  return rows.map(toIssued);
}

/**
 * Stores a transaction that a sponsor has signed and counts what it costs, both or neither, by the rules of `LinkRecords.issueSponsored`.
 *
 * `landed`: what this payer was given before that was seen on chain. The first write locks the sum of the link, so that of two processes
 * the later one sees what the earlier one has stored.
 */
export async function issueSponsored(
  database: SqlDatabase,
  built: IssuedTransaction,
  landed: readonly Uint8Array[],
  counted: readonly { added: DailyAmount; limit: bigint }[],
): Promise<'issued' | 'other_can_land' | 'limit_reached'> {
  const { db } = database;
  if (counted.some(({ added, limit }) => added.amount > limit)) return 'limit_reached';
  const row = toRow(built);
  const isLanded = landed.length === 0 ? sql`1 = 0` : sql`issued_transactions.bytes in (${sql.join(landed)})`;
  const isOpen = sql`${canLand(row)} and not (${isLanded})`;
  const columns = Object.entries(row);
  const insertion = sql`
    insert into issued_transactions (${sql.join(columns.map(([name]) => sql.ref(name)))})
    select ${sql.join(columns.map(([, value]) => value))}
    where not exists (
      select 1 from issued_transactions where link_id = ${row.link_id} and payer = ${row.payer} and ${isOpen})
    on conflict (link_id, payer, mint, amount) do update
    set ${sql.join(columns.map(([name]) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))}
    where not (${isOpen})`.compile(db);
  const additions = counted.map(({ added, limit }) => additionOf(db, added, limit));
  const refused = await writeTogether(database, ...additions, insertion);
  if (refused === undefined) return 'issued';
  return refused === insertion ? 'other_can_land' : 'limit_reached';
}

const rowsPerPrune = 1_000;

/**
 * Deletes some of the transactions that can no longer land; returns how many.
 *
 * The newest one tells where the chain was. A node may be a while behind the one that gave its blockhash.
 */
export async function pruneIssued(db: Kysely<StoreTables>, locksRows: boolean): Promise<number> {
  const dead = db
    .selectFrom('issued_transactions')
    .select(['link_id', 'payer', 'mint', 'amount'])
    .where('last_valid_block_height', '<', ({ selectFrom }) =>
      selectFrom('issued_transactions as newest').select(({ fn }) =>
        sql<number>`${fn.max('newest.last_valid_block_height')} - ${2 * blockhashLifetimeBlocks}`.as('height'),
      ),
    )
    .limit(rowsPerPrune)
    .$if(locksRows, (query) => query.forUpdate().skipLocked());
  const { numDeletedRows } = await db
    .deleteFrom('issued_transactions')
    .where(({ eb, refTuple }) =>
      eb(refTuple('link_id', 'payer', 'mint', 'amount'), 'in', dead.$asTuple('link_id', 'payer', 'mint', 'amount')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * The condition that a stored transaction can land when `built` is the newest.
 *
 * A height further ahead than a blockhash lives is the word of a node that was wrong.
 */
function canLand({
  last_valid_block_height: height,
}: Pick<IssuedTransactionRow, 'last_valid_block_height'>): RawBuilder<SqlBool> {
  const [lowest, highest] = [height - blockhashLifetimeBlocks, height + blockhashLifetimeBlocks];
  return sql`issued_transactions.last_valid_block_height between ${lowest} and ${highest}`;
}

function toIssued(row: IssuedTransactionRow): IssuedTransaction {
  return {
    linkId: row.link_id,
    payer: readAddress(row.payer),
    mint: readMint(row.mint),
    amount: readAmount(row.amount),
    paymentsBefore: row.payments_before,
    bytes: Uint8Array.from(row.bytes),
    lastValidBlockHeight: BigInt(row.last_valid_block_height),
    ...(row.sponsor_fee !== null && { sponsorFee: readSponsorFee(row.sponsor_fee) }),
  };
}

function toRow(built: IssuedTransaction): IssuedTransactionRow {
  return {
    link_id: built.linkId,
    payer: built.payer,
    mint: built.mint,
    amount: built.amount.toString(),
    payments_before: built.paymentsBefore,
    bytes: built.bytes,
    last_valid_block_height: toInteger(built.lastValidBlockHeight),
    sponsor_fee: built.sponsorFee ? JSON.stringify(built.sponsorFee) : null,
  };
}
