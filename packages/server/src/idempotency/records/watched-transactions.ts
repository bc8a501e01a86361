import { type Kysely, sql, type Transaction } from 'kysely';
import type { StoreTables, WatchedTransactionRow } from '../../store/schema/tables.ts';
import { inParts, inTransaction, type SqlDatabase } from '../../store/sql-database.ts';
import { outcomeEventTypes } from '../../webhooks/event-types.ts';
import { type NewEvent, recordEvent, takersOf } from '../../webhooks/record-event.ts';
import type { NewReply, RequestId, SentTransaction } from '../idempotent-request.ts';

/** A transaction whose outcome is told. */
export interface WatchedTransaction
  extends Omit<SentTransaction, 'source'>,
    Pick<RequestId, 'path' | 'key'>,
    Pick<NewReply, 'metadata'> {
  /** The last event of it; `null` before the first. */
  told: WatchedTransactionRow['told'];
}

/** The transactions of one client that pay from one token account. They are asked for together, so that equal payments are told apart. */
export interface TakenSender {
  scope: string;
  source: string;
  /** Until when no other process has them; milliseconds since the Unix epoch. */
  takenUntil: number;
  /** Those whose last block comes first are first; none while no endpoint takes their events. */
  transactions: readonly WatchedTransaction[];
}

/** The changed columns of a transaction that was asked for. */
export interface WatchedChange extends Pick<WatchedTransaction, 'messageHash' | 'told'> {
  events: readonly NewEvent[];
  isOver: boolean;
  /** The hash of the message that landed, where a wallet had changed the transaction: no other transaction of the scope is it from now on. */
  landedAs?: string | undefined;
}

const minIntervalMs = 2_000;
const maxIntervalMs = 60_000;
/** The interval is this part of the time since something last changed. */
const intervalsPerAge = 60;

// As many as the status of signatures is read for in one call.
const maxTogether = 256;
/** Transactions of which nothing was told for this long come after all others, which they would keep out. */
const stuckAfterMs = 3_600_000;
const rowsPerPrune = 500;

/** The transactions whose outcomes are told to webhooks. */
export class WatchedTransactions {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Takes some senders that are due, the longest due first. */
  async take(now: number, takenUntil: number, limit: number): Promise<readonly TakenSender[]> {
    const { db, locksRows } = this.#database;
    if (limit <= 0 || (await dueSenders(db, now, 1).execute()).length === 0) return [];
    return inTransaction(this.#database, async (transaction) => {
      const senders = await dueSenders(transaction, now, limit)
        .orderBy('due_at')
        .$if(locksRows, (query) => query.forUpdate().skipLocked())
        .execute();
      const taken: TakenSender[] = [];
      for (const { scope, source } of senders) {
        await transaction
          .updateTable('watched_senders')
          .set({ taken_until: takenUntil, due_at: takenUntil })
          .where('scope', '=', scope)
          .where('source', '=', source)
          .execute();
        const isTold = (await takersOf(transaction, scope, outcomeEventTypes)).length > 0;
        const transactions = isTold ? await readTransactions(transaction, { scope, source }, now) : [];
        taken.push({ scope, source, takenUntil, transactions });
      }
      return taken;
    });
  }

  /** Stores and tells what became of a sender's transactions, and when to ask again; not when another process has them by now. */
  save({ scope, source, takenUntil }: TakenSender, changes: readonly WatchedChange[], now: number): Promise<void> {
    return inTransaction(this.#database, async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('watched_senders')
        .set({ taken_until: null })
        .where('scope', '=', scope)
        .where('source', '=', source)
        .where('taken_until', '=', takenUntil)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      for (const change of changes) await saveChange(transaction, scope, change, now);
      await schedule(transaction, { scope, source }, now);
    });
  }

  /** Whether a request whose record still exists has built this message, or one of the scope has landed as it. */
  async isBuilt(messageHash: string, scope: string): Promise<boolean> {
    const row = await this.#database.db
      .selectFrom('idempotent_messages')
      .select('message_hash')
      .where('message_hash', 'in', [messageHash, landedKey(scope, messageHash)])
      .executeTakeFirst();
    return row !== undefined;
  }
}

/**
 * Returns the `message_hash` by which a message belongs to a request that landed as it, though it did not build it. It counts in the
 * scope of that request alone: to another client that built the same payment, it may be theirs.
 */
export function landedKey(scope: string, messageHash: string): string {
  return `${scope}:${messageHash}`;
}

/** Begins to watch the transactions of a reply, in the database transaction that stores it. Times are milliseconds since the Unix epoch. */
export async function watchTransactions(
  db: Transaction<StoreTables>,
  { scope, path, key }: RequestId,
  { sent, metadata }: Pick<NewReply, 'sent' | 'metadata'>,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<void> {
  const rows = sent.map(({ messageHash, index, transfers, source, bytes, lastValidBlockHeight }) => ({
    message_hash: messageHash,
    scope,
    path,
    idempotency_key: key,
    transaction_index: index,
    transfers: transfers ? JSON.stringify(transfers) : null,
    metadata: metadata ? JSON.stringify(metadata) : null,
    source,
    bytes,
    last_valid_block_height: lastValidBlockHeight === undefined ? null : Number(lastValidBlockHeight),
    told: null,
    changed_at: now,
    expires_at: expiresAt,
  }));
  for (const some of inParts(rows)) {
    const hashes = some.map((row) => row.message_hash);
    // A nonce that was not used makes the same message again, once the record of the first has expired.
    await db.deleteFrom('watched_transactions').where('message_hash', 'in', hashes).execute();
    await db.insertInto('watched_transactions').values(some).execute();
  }
  // In one order for all replies: of two that pay from the same accounts, one waits for the other, and never each for the other.
  for (const source of new Set(sent.map((each) => each.source).sort())) await makeDue(db, { scope, source }, now);
}

async function makeDue(db: Transaction<StoreTables>, { scope, source }: SenderId, now: number): Promise<void> {
  const dueAt = now + minIntervalMs;
  await db
    .insertInto('watched_senders')
    .values({ scope, source, due_at: dueAt, taken_until: null })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'source'])
        .doUpdateSet({ due_at: dueAt })
        .where('watched_senders.due_at', '>', dueAt)
        // The process that has them sees the new one when it says when they are due again.
        .where(({ or, eb }) =>
          or([eb('watched_senders.taken_until', 'is', null), eb('watched_senders.taken_until', '<=', now)]),
        ),
    )
    .execute();
}

/** Deletes some that were watched until `now`, and returns how many. */
export async function pruneWatched({ db, whenNotBusy, locksRows }: SqlDatabase, now: number): Promise<number> {
  const expired = db
    .selectFrom('watched_transactions')
    .select('message_hash')
    .where('expires_at', '<=', now)
    .limit(rowsPerPrune)
    .$if(locksRows, (query) => query.forUpdate().skipLocked());
  const deletion = db.deleteFrom('watched_transactions').where('message_hash', 'in', expired);
  const { numDeletedRows } = await whenNotBusy(() => deletion.executeTakeFirst());
  return Number(numDeletedRows);
}

interface SenderId {
  scope: string;
  source: string;
}

function dueSenders(db: Kysely<StoreTables>, now: number, limit: number) {
  return (
    db
      .selectFrom('watched_senders')
      .select(['scope', 'source'])
      // A time that is further ahead than any interval is from before the clock was set back.
      .where(({ or, eb }) => or([eb('due_at', '<=', now), eb('due_at', '>', now + 2 * maxIntervalMs)]))
      .limit(limit)
  );
}

async function readTransactions(
  db: Kysely<StoreTables>,
  { scope, source }: SenderId,
  now: number,
): Promise<readonly WatchedTransaction[]> {
  const rows = await db
    .selectFrom('watched_transactions')
    .selectAll()
    .where('scope', '=', scope)
    .where('source', '=', source)
    .where('expires_at', '>', now)
    // The first of several equal payments is given what landed: the others can still land by themselves.
    .orderBy(sql`case when changed_at < ${now - stuckAfterMs} then 1 else 0 end`)
    .orderBy(sql`case when last_valid_block_height is null then 1 else 0 end`)
    .orderBy('last_valid_block_height')
    .orderBy('message_hash')
    .limit(maxTogether)
    .execute();
  return rows.map((row) => ({
    messageHash: row.message_hash,
    path: row.path,
    key: row.idempotency_key,
    index: row.transaction_index,
    ...(row.transfers !== null && { transfers: JSON.parse(row.transfers) }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
    bytes: Uint8Array.from(row.bytes),
    lastValidBlockHeight: row.last_valid_block_height === null ? undefined : BigInt(row.last_valid_block_height),
    told: row.told,
  }));
}

async function saveChange(
  db: Transaction<StoreTables>,
  scope: string,
  { messageHash, told, events, isOver, landedAs }: WatchedChange,
  now: number,
): Promise<void> {
  for (const event of events) await recordEvent(db, event);
  if (landedAs !== undefined) await claimLanded(db, messageHash, landedKey(scope, landedAs));
  if (isOver) {
    await db.deleteFrom('watched_transactions').where('message_hash', '=', messageHash).execute();
    return;
  }
  await db
    .updateTable('watched_transactions')
    .set({ told, changed_at: now })
    .where('message_hash', '=', messageHash)
    .execute();
}

/** Gives what landed to the request that built a message. */
async function claimLanded(db: Transaction<StoreTables>, messageHash: string, landed: string): Promise<void> {
  await db
    .insertInto('idempotent_messages')
    .columns(['message_hash', 'scope', 'path', 'idempotency_key'])
    .expression(({ selectFrom }) =>
      selectFrom('idempotent_messages')
        .select([sql<string>`${landed}`.as('landed'), 'scope', 'path', 'idempotency_key'])
        .where('message_hash', '=', messageHash),
    )
    .onConflict((conflict) => conflict.column('message_hash').doNothing())
    .execute();
}

/** Says when a sender is due again: the sooner, the later something changed. */
async function schedule(db: Transaction<StoreTables>, { scope, source }: SenderId, now: number): Promise<void> {
  const { changed_at: changedAt } = await db
    .selectFrom('watched_transactions')
    .select(({ fn }) => fn.max('changed_at').as('changed_at'))
    .where('scope', '=', scope)
    .where('source', '=', source)
    .executeTakeFirstOrThrow();
  if (changedAt === null) {
    await db.deleteFrom('watched_senders').where('scope', '=', scope).where('source', '=', source).execute();
    return;
  }
  const intervalMs = Math.min(Math.max((now - changedAt) / intervalsPerAge, minIntervalMs), maxIntervalMs);
  await db
    .updateTable('watched_senders')
    .set({ due_at: Math.ceil(now + intervalMs) })
    .where('scope', '=', scope)
    .where('source', '=', source)
    .execute();
}
