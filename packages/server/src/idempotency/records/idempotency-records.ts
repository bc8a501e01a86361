import type { ExpressionBuilder, InsertResult, Kysely, Transaction } from 'kysely';
import type { DailyAddition } from '../../keys/api-key-record.ts';
import { addDailyAmounts, findDailyAmounts } from '../../keys/records/usage-records.ts';
import { dailyLimitReached } from '../../keys/usage/daily-amounts.ts';
import type { IdempotentRequestRow, StoreTables } from '../../store/schema/tables.ts';
import { inTransaction, type SqlDatabase } from '../../store/sql-database.ts';
import { outcomeEventTypes } from '../../webhooks/event-types.ts';
import { takersOf } from '../../webhooks/record-event.ts';
import { identicalTransaction } from '../idempotency-problems.ts';
import {
  type BuiltRecord,
  builtToColumns,
  type Claim,
  type ClaimAttempt,
  type Knowledge,
  landedToColumn,
  type NewReply,
  type RequestId,
  type SentTransaction,
  toBuiltRecord,
} from '../idempotent-request.ts';
import { StoredBytes, storedBytesOf } from './stored-bytes.ts';
import { landedKey, pruneWatched, watchTransactions } from './watched-transactions.ts';

/** Deleting this many requests locks an SQLite file, and keeps its process busy, for a few milliseconds. */
const rowsPerPrune = 200;
/** The same of messages, of which a request has up to a thousand: their rows are small. */
const messagesPerPrune = 1_000;
/** How often a claim looks again at a row that others make and delete at the same moments. */
const maxLooks = 5;

/**
 * Stores which requests with an `Idempotency-Key` are being built and what was built, for all processes on one database: each change
 * is one statement, so that one of several wins.
 *
 * Every method rejects when the database does not answer. When only the answer was lost, the change was made: a claim then
 * lasts for its lease, and a completed reply is found by the next claim.
 */
export class IdempotencyRecords {
  readonly #db: Kysely<StoreTables>;
  readonly #database: SqlDatabase;
  readonly #storedBytes: StoredBytes;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#db = database.db;
    this.#database = database;
    this.#storedBytes = new StoredBytes(database);
  }

  /**
   * Claims a request for an attempt: exactly one of concurrent claims wins.
   *
   * An expired record counts as absent. So does an attempt that is older than the lease, whatever its body, unless something had been
   * built before it: that stays known, and only the same body finds it.
   */
  async claim(id: RequestId, claim: ClaimAttempt): Promise<Claim> {
    for (let look = 0; look < maxLooks; look += 1) {
      const insertion = insertClaim(this.#db, id, claim);
      const { numInsertedOrUpdatedRows } = await this.#database.whenNotBusy(() => insertion.executeTakeFirst());
      if (numInsertedOrUpdatedRows) return { kind: 'claimed' };
      const row = await this.#find(id);
      // It was released in the meantime.
      if (row === undefined) continue;
      if (row.body_hash !== claim.bodyHash) return { kind: 'other_body' };
      const isUnderWay = row.state === 'building' && Math.abs(claim.now - row.started_at) < claim.leaseMs;
      if (isUnderWay || !hasKnowledge(row)) return { kind: 'building', startedAt: row.started_at };
      return { kind: 'built', record: toBuiltRecord(row) };
    }
    return { kind: 'building', startedAt: claim.now };
  }

  /**
   * Begins a new attempt in the place of the one that stored `from`, and stores what is `known` instead of that. Returns the record as it
   * is then; `undefined` when another attempt was faster.
   */
  async reclaim(
    id: RequestId,
    from: BuiltRecord,
    claim: ClaimAttempt,
    { transactions, landed }: Knowledge,
  ): Promise<BuiltRecord | undefined> {
    const { attempt, now: startedAt } = claim;
    const expiresAt = Math.max(from.expiresAt, startedAt + claim.retentionMs);
    const reclaimed = {
      attempt,
      state: 'building',
      startedAt,
      expiresAt,
      whole: undefined,
      transactions,
      landed,
    } as const;
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({
        ...claimToColumns(claim),
        ...builtToColumns(reclaimed),
        expires_at: expiresAt,
        landed: landedToColumn(landed),
      })
      .where((where) => isRow(where, id))
      // Each attempt stores once, which ends its building: one that has outlasted its lease may have done so since `from` was read.
      .where('attempt', '=', from.attempt)
      .where('state', '=', from.state);
    const { numUpdatedRows } = await this.#database.whenNotBusy(() => update.executeTakeFirst());
    if (numUpdatedRows === 0n) return undefined;
    this.#storedBytes.add(id.scope, -storedBytesOf(id, from), from.expiresAt);
    this.#storedBytes.add(id.scope, storedBytesOf(id, reclaimed), expiresAt);
    return reclaimed;
  }

  /**
   * Stores the reply of an attempt before it leaves, claims its messages and counts its amounts, all of it or nothing; kept for
   * `retentionMs` from `now`.
   *
   * Each message belongs to one request until the record of that request is deleted. Returns false when the claim was lost to another
   * attempt: the reply must not leave. Throws `identical_transaction` when another request has one of the messages, and
   * `daily_limit_reached`.
   */
  async complete(id: RequestId, attempt: string, built: NewReply, now: number, retentionMs: number): Promise<boolean> {
    const { sent, counted = [], replaces } = built;
    const expiresAt = now + retentionMs;
    const store = async (db: Kysely<StoreTables>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('idempotent_requests')
        .set({ state: 'built', expires_at: expiresAt, ...builtToColumns(built) })
        .where((where) => isAttempt(where, id, attempt))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    };
    const storeAndClaim = async (db: Transaction<StoreTables>): Promise<boolean> => {
      if (!(await store(db))) return false;
      if ((await claimMessages(db, id, sent)) < sent.length) throw identicalTransaction(sent);
      const tooMuch = await addDailyAmounts(db, counted);
      if (tooMuch) throw await limitReached(db, tooMuch, now);
      const takers = await takersOf(db, id.scope, outcomeEventTypes);
      if (takers.length > 0) await watchTransactions(db, id, built, { now, expiresAt });
      return true;
    };
    const isStored =
      sent.length === 0
        ? await this.#database.whenNotBusy(() => store(this.#db))
        : await inTransaction(this.#database, storeAndClaim);
    if (!isStored) return false;
    if (replaces) this.#storedBytes.add(id.scope, -storedBytesOf(id, replaces), replaces.expiresAt);
    this.#storedBytes.add(id.scope, storedBytesOf(id, built), expiresAt);
    return true;
  }

  /** Gives up an attempt that built nothing: another may claim the request at once. Does nothing when its claim was lost. */
  async release(id: RequestId, attempt: string): Promise<void> {
    const deletion = this.#db
      .deleteFrom('idempotent_requests')
      .where((where) => isAttempt(where, id, attempt))
      .where(nothingKnown);
    const { numDeletedRows } = await this.#database.whenNotBusy(() => deletion.executeTakeFirst());
    if (numDeletedRows > 0n) return;
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ state: 'built' })
      .where((where) => isAttempt(where, id, attempt));
    await this.#database.whenNotBusy(() => update.execute());
  }

  /**
   * Whether another request, whose record still exists, has built this message or is about to hand it out; or one of the same scope has
   * landed as it.
   */
  async isBuiltByAnother(messageHash: string, { scope, path, key }: RequestId): Promise<boolean> {
    const row = await this.#db
      .selectFrom('idempotent_messages')
      .select('message_hash')
      .where('message_hash', 'in', [messageHash, landedKey(scope, messageHash)])
      .where(({ not, and }) => not(and({ scope, path, idempotency_key: key })))
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * Returns how many bytes the stored replies of a scope take at `now`, with the rows that they are in.
   *
   * Leaves out what other processes have stored in the last seconds. It falls by the whole hours in which replies expire.
   */
  storedBytesOf(scope: string, now: number): Promise<number> {
    return this.#storedBytes.of(scope, now);
  }

  /** Deletes some of the records that have expired at `now`, or of what belongs to them, and returns how many: 0 when none are left. */
  async prune(now: number): Promise<number> {
    const { locksRows, whenNotBusy } = this.#database;
    const watched = await pruneWatched(this.#database, now);
    if (watched > 0) return watched;
    // Before their requests, with which all that are left would go at once.
    const messages = await whenNotBusy(() => pruneMessages(this.#db, now, messagesPerPrune, locksRows));
    if (messages === messagesPerPrune) return messages;
    const requests = await this.#pruneRequests(now);
    return requests > 0 ? requests : this.#storedBytes.prune(now);
  }

  async #pruneRequests(now: number): Promise<number> {
    const expired = this.#db
      .selectFrom('idempotent_requests')
      .select(['scope', 'path', 'idempotency_key'])
      .where('expires_at', '<=', now)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('idempotent_messages as message')
              .select('message.message_hash')
              .whereRef('message.scope', '=', 'idempotent_requests.scope')
              .whereRef('message.path', '=', 'idempotent_requests.path')
              .whereRef('message.idempotency_key', '=', 'idempotent_requests.idempotency_key'),
          ),
        ),
      )
      .orderBy('expires_at')
      .limit(rowsPerPrune)
      .$if(this.#database.locksRows, (query) => query.forUpdate().skipLocked());
    const deletion = this.#db
      .deleteFrom('idempotent_requests')
      .where(({ eb, refTuple }) =>
        eb(refTuple('scope', 'path', 'idempotency_key'), 'in', expired.$asTuple('scope', 'path', 'idempotency_key')),
      )
      // A row that was claimed in the meantime is checked again by this alone.
      .where('expires_at', '<=', now);
    const { numDeletedRows } = await this.#database.whenNotBusy(() => deletion.executeTakeFirst());
    return Number(numDeletedRows);
  }

  #find(id: RequestId): Promise<IdempotentRequestRow | undefined> {
    return this.#db
      .selectFrom('idempotent_requests')
      .selectAll()
      .where((where) => isRow(where, id))
      .executeTakeFirst();
  }
}

type Where = ExpressionBuilder<StoreTables, 'idempotent_requests'>;

function isRow(where: Where, { scope, path, key }: RequestId) {
  return where.and({ scope, path, idempotency_key: key });
}

/** Whether nothing was built for a row that is not known to be dead. */
function nothingKnown(where: Where) {
  return where.and([
    where('idempotent_requests.transactions', 'is', null),
    where('idempotent_requests.landed', 'is', null),
  ]);
}

function hasKnowledge({ transactions, landed }: IdempotentRequestRow): boolean {
  return transactions !== null || landed !== null;
}

/** Whether a row is claimed by this attempt, which has neither completed nor lost it. */
function isAttempt(where: Where, id: RequestId, attempt: string) {
  return where.and([isRow(where, id), where('state', '=', 'building'), where('attempt', '=', attempt)]);
}

/** The statement that inserts a claim, or puts it in the place of a row that counts as absent: of no row when there is another one. */
function insertClaim(db: Kysely<StoreTables>, { scope, path, key }: RequestId, claim: ClaimAttempt) {
  const columns = { ...claimToColumns(claim), ...builtToColumns({ whole: undefined, transactions: [] }), landed: null };
  const { now, leaseMs } = claim;
  return db
    .insertInto('idempotent_requests')
    .values({ scope, path, idempotency_key: key, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'path', 'idempotency_key'])
        .doUpdateSet(columns)
        .where((where) =>
          where.or([
            where('idempotent_requests.expires_at', '<=', now),
            where.and([
              where('idempotent_requests.state', '=', 'building'),
              nothingKnown(where),
              // An attempt from far ahead is one from before the clock was set back.
              where.or([
                where('idempotent_requests.started_at', '<=', now - leaseMs),
                where('idempotent_requests.started_at', '>', now + leaseMs),
              ]),
            ]),
          ]),
        ),
    );
}

/** The columns of a row that an attempt has just claimed. */
function claimToColumns({ bodyHash, attempt, now, retentionMs }: ClaimAttempt) {
  return {
    body_hash: bodyHash,
    attempt,
    state: 'building' as const,
    started_at: now,
    expires_at: now + retentionMs,
  };
}

async function limitReached(db: Kysely<StoreTables>, { added, limit, pointer }: DailyAddition, atMs: number) {
  const builtToday = (await findDailyAmounts(db, added.keyId, added.day)).get(added.mint) ?? 0n;
  return dailyLimitReached({ ...added, pointer }, { limit, builtToday, atMs });
}

/** Claims messages for a request, and returns how many are now its own: those of another request are not. */
async function claimMessages(
  db: Kysely<StoreTables>,
  { scope, path, key }: RequestId,
  sent: readonly Pick<SentTransaction, 'messageHash'>[],
): Promise<number> {
  // Of two statements that want some of the same messages, one waits for the other, and never each for the other.
  const hashes = sent.map(({ messageHash }) => messageHash).toSorted();
  const rows = hashes.map((hash) => ({ message_hash: hash, scope, path, idempotency_key: key }));
  const { numInsertedOrUpdatedRows }: InsertResult = await db
    .insertInto('idempotent_messages')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('message_hash')
        // Changes nothing, and is counted.
        .doUpdateSet((row) => ({ scope: row.ref('excluded.scope') }))
        .where('idempotent_messages.scope', '=', scope)
        .where('idempotent_messages.path', '=', path)
        .where('idempotent_messages.idempotency_key', '=', key),
    )
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

/**
 * Deletes some messages of requests that have expired at `now`, up to a limit, in one statement; returns how many.
 *
 * A batch has up to a thousand, so to delete a few hundred requests with their messages would be one long statement.
 */
async function pruneMessages(db: Kysely<StoreTables>, now: number, limit: number, locksRows: boolean): Promise<number> {
  const expired = db
    .selectFrom('idempotent_messages as message')
    .innerJoin('idempotent_requests as request', (join) =>
      join
        .onRef('request.scope', '=', 'message.scope')
        .onRef('request.path', '=', 'message.path')
        .onRef('request.idempotency_key', '=', 'message.idempotency_key'),
    )
    .select('message.message_hash')
    .where('request.expires_at', '<=', now)
    .limit(limit)
    // A request that is claimed in the meantime keeps its messages.
    .$if(locksRows, (query) => query.forUpdate(['request']).skipLocked());
  const deletion = db.deleteFrom('idempotent_messages').where('message_hash', 'in', expired);
  const { numDeletedRows } = await deletion.executeTakeFirst();
  return Number(numDeletedRows);
}
