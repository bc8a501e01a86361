import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import { inParts, type SqlDatabase, writeTogether } from '../../store/sql-database.ts';
import type { DailyAddition, DailyAmount, KeyUsage, UsageBatch } from '../api-key-record.ts';

/** Deleting this many rows takes a few milliseconds. */
const rowsPerPrune = 1_000;
/** How long a process is remembered after its last batch: a process that retries does so within minutes. */
const writerMemoryMs = 7 * 86_400_000;

/** Stores what API keys are used for: requests by day, and the amounts that daily limits count. */
export class UsageRecords {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<StoreTables>;
  readonly #now: () => Date;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase, now: () => Date) {
    this.#database = database;
    this.#db = database.db;
    this.#now = now;
  }

  /** Adds a batch of usage, all of it or nothing, and once however often it is tried. */
  addUsage(batch: UsageBatch): Promise<void> {
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await markAsAdded(transaction, batch, this.#now()))) return;
      // Every process locks rows in the same order, so that no two wait for each other.
      const usage = [...batch.usage].sort((a, b) => compare(keyOf(a), keyOf(b)));
      for (const some of inParts(usage)) await addRows(transaction, some);
      const lastUsed = [...batch.lastUsedAt].sort(([a], [b]) => compare(a, b));
      for (const some of inParts(lastUsed)) await setLastUsed(transaction, some);
    });
  }

  /** The usage of a key on a day (`2026-11-21`), by outcome. */
  async findUsage(keyId: string, day: string): Promise<readonly KeyUsage[]> {
    const query = this.#db.selectFrom('key_usage').selectAll().where('key_id', '=', keyId).where('day', '=', day);
    return (await query.orderBy('outcome').execute()).map(toUsage);
  }

  /** The usage from a day on (`2026-11-21`), by day, key and outcome. */
  async listUsage(fromDay: string): Promise<readonly KeyUsage[]> {
    const query = this.#db.selectFrom('key_usage').selectAll().where('day', '>=', fromDay);
    return (await query.orderBy('day').orderBy('key_id').orderBy('outcome').execute()).map(toUsage);
  }

  /** Deletes some of the usage of all days before a day, and returns how many rows: 0 when none are left. */
  pruneUsage(day: string): Promise<number> {
    return this.#prune('key_usage', ['key_id', 'day', 'outcome'], day);
  }

  /**
   * Adds amounts to the sums of their keys, mints and days, all of them or none: then it returns the first one that would exceed its limit.
   *
   * Exact when other processes add at the same time. Rejects when the database does not answer; when only the answer was lost,
   * the amounts have been added.
   */
  async addDailyAmounts<Addition extends Pick<DailyAddition, 'added' | 'limit'>>(
    additions: readonly Addition[],
  ): Promise<Addition | undefined> {
    // The first amount of a day is inserted without a comparison.
    const tooMuch = additions.find(({ added, limit }) => added.amount > limit);
    if (tooMuch) return tooMuch;
    const writes = additions.map(({ added, limit }) => additionOf(this.#db, added, limit));
    const refused = await writeTogether(this.#database, ...writes);
    return refused && additions[writes.indexOf(refused)];
  }

  /** The sums of a key on a day, in base units by mint. */
  findDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>> {
    return findDailyAmounts(this.#db, keyId, day);
  }

  /** Deletes some of the sums of all days before a day, and returns how many: 0 when none are left. */
  pruneDailyAmounts(day: string): Promise<number> {
    return this.#prune('key_daily_amounts', ['key_id', 'day', 'mint'], day);
  }

  /** `key` names the columns of the table's primary key. */
  #prune(table: 'key_usage' | 'key_daily_amounts', key: readonly string[], day: string): Promise<number> {
    const { locksRows, whenNotBusy } = this.#database;
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const deletion = sql`
      delete from ${sql.table(table)} where (${columns}) in (
        select ${columns} from ${sql.table(table)} where day < ${day} order by day limit ${sql.lit(rowsPerPrune)}
        ${locksRows ? sql`for update skip locked` : sql``})`;
    return whenNotBusy(async () => Number((await deletion.execute(this.#db)).numAffectedRows));
  }
}

function toUsage({ key_id: keyId, day, outcome, requests }: Selectable<StoreTables['key_usage']>): KeyUsage {
  return { keyId, day, outcome, requests };
}

// When an answer is lost the batch may have been added: the same one is then tried again.
async function markAsAdded(db: Kysely<StoreTables>, { writer, number }: UsageBatch, now: Date): Promise<boolean> {
  const savedAt = now.getTime();
  await db
    .deleteFrom('key_usage_writers')
    .where('saved_at', '<', savedAt - writerMemoryMs)
    .execute();
  const { numInsertedOrUpdatedRows } = await db
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

async function addRows(db: Kysely<StoreTables>, usage: readonly KeyUsage[]): Promise<void> {
  await db
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
  db: Kysely<StoreTables>,
  lastUsed: readonly (readonly [id: string, at: number])[],
): Promise<void> {
  // The columns of a list of values are called column1 and column2 in SQLite and PostgreSQL alike.
  const values = sql.join(lastUsed.map(([id, at]) => sql`(${id}, cast(${at} as bigint))`));
  await sql`
    update api_keys set last_used_at = used.column2 from (values ${values}) as used
    where api_keys.id = used.column1 and (api_keys.last_used_at is null or api_keys.last_used_at < used.column2)
  `.execute(db);
}

function keyOf({ keyId, day, outcome }: KeyUsage): string {
  return `${keyId} ${day} ${outcome}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * The base of the two columns that hold an amount: 2^64-1 fits neither SQLite's integers nor JavaScript's numbers.
 *
 * Sums of two such columns are exact in both.
 */
const base = 10_000_000_000n;

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

/** Adds amounts in a transaction. Returns the first one that its limit has no room for, because of which none may be kept. */
export async function addDailyAmounts(
  db: Kysely<StoreTables>,
  additions: readonly DailyAddition[],
): Promise<DailyAddition | undefined> {
  for (const addition of additions) {
    const { added, limit } = addition;
    if (added.amount > limit) return addition;
    const { numAffectedRows } = await db.executeQuery(additionOf(db, added, limit));
    if (numAffectedRows === 0n) return addition;
  }
  return undefined;
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

function toAmount({ amount_high, amount_low }: { amount_high: number; amount_low: number }): bigint {
  return BigInt(amount_high) * base + BigInt(amount_low);
}

function toColumns(amount: bigint): { amount_high: number; amount_low: number } {
  return { amount_high: Number(amount / base), amount_low: Number(amount % base) };
}
