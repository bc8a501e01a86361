import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { DailyAmount } from '../api-key-record.ts';

/**
 * The base of the two columns that hold an amount: 2^64-1 fits neither SQLite's integers nor JavaScript's numbers.
 *
 * Sums of two such columns are exact in both.
 */
const base = 10_000_000_000n;

/** Adds an amount, unless the sum would exceed the limit; returns whether it was added. */
export async function addDailyAmount(db: Kysely<StoreTables>, added: DailyAmount, limit: bigint): Promise<boolean> {
  // The first amount of a day is inserted without a comparison.
  if (added.amount > limit) return false;
  return (await db.executeQuery(additionOf(db, added, limit))).numAffectedRows !== 0n;
}

/**
 * Returns the statement that adds an amount, which is at most the limit, to the sum of a key, a mint and a day. It changes no row
 * when the sum would exceed the limit.
 */
export function additionOf(
  db: Kysely<StoreTables>,
  { keyId, day, mint, amount }: DailyAmount,
  limit: bigint,
): CompiledQuery {
  const added = toColumns(amount);
  // The highest sum to which the amount may be added: from 0 to 2^64-1.
  const maxSum = toColumns(limit - amount);
  return db
    .insertInto('key_daily_amounts')
    .values({ key_id: keyId, day, mint, ...added })
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'day', 'mint'])
        .doUpdateSet({
          amount_high: sql<number>`key_daily_amounts.amount_high + excluded.amount_high
            + (key_daily_amounts.amount_low + excluded.amount_low) / ${sql.lit(Number(base))}`,
          amount_low: sql<number>`(key_daily_amounts.amount_low + excluded.amount_low) % ${sql.lit(Number(base))}`,
        })
        .where((where) =>
          where.or([
            where('key_daily_amounts.amount_high', '<', maxSum.amount_high),
            where.and([
              where('key_daily_amounts.amount_high', '=', maxSum.amount_high),
              where('key_daily_amounts.amount_low', '<=', maxSum.amount_low),
            ]),
          ]),
        ),
    )
    .compile();
}

/** Returns the sums of a key on a day, in base units by mint. */
export async function findDailyAmounts(
  db: Kysely<StoreTables>,
  keyId: string,
  day: string,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db
    .selectFrom('key_daily_amounts')
    .select(['mint', 'amount_high', 'amount_low'])
    .where('key_id', '=', keyId)
    .where('day', '=', day)
    .orderBy('mint')
    .execute();
  return new Map(rows.map((row) => [row.mint, toAmount(row)]));
}

/** Deleting this many rows takes a few milliseconds. */
const rowsPerPrune = 1_000;

/** Deletes some of the sums of all days before a day, and returns how many. */
export async function pruneDailyAmounts(db: Kysely<StoreTables>, day: string, locksRows: boolean): Promise<number> {
  const old = db
    .selectFrom('key_daily_amounts')
    .select(['key_id', 'day', 'mint'])
    .where('day', '<', day)
    .orderBy('day')
    .limit(rowsPerPrune)
    .$if(locksRows, (query) => query.forUpdate().skipLocked());
  const { numDeletedRows } = await db
    .deleteFrom('key_daily_amounts')
    .where(({ eb, refTuple }) => eb(refTuple('key_id', 'day', 'mint'), 'in', old.$asTuple('key_id', 'day', 'mint')))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function toAmount({ amount_high, amount_low }: { amount_high: number; amount_low: number }): bigint {
  return BigInt(amount_high) * base + BigInt(amount_low);
}

function toColumns(amount: bigint): { amount_high: number; amount_low: number } {
  return { amount_high: Number(amount / base), amount_low: Number(amount % base) };
}
