import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { IdempotentRequestRow, StoreTables } from '../../store/schema/tables.ts';
import type { SqlDatabase } from '../../store/sql-database.ts';
import type {
  BuiltRecord,
  BuiltReply,
  Claim,
  ClaimAttempt,
  IdempotencyStore,
  LandedTransaction,
  RequestId,
} from '../idempotency-store.ts';
import { landedToColumn, noReply, packReply, toBuiltRecord, toLanded } from './idempotency-rows.ts';
import { claimMessages, isMessageOfAnother, pruneMessages } from './sql-messages.ts';
import { bytesOfRow, StoredBytes } from './stored-bytes.ts';

/** Deleting this many requests locks an SQLite file, and keeps its process busy, for a few milliseconds. */
const rowsPerPrune = 200;
/** The same of messages, of which a request has up to a thousand: their rows are small. */
const messagesPerPrune = 1_000;
/** How often a claim looks again at a row that others make and delete at the same moments. */
const maxLooks = 5;

/** The requests with an `Idempotency-Key` in an SQL database: each change is one statement, so that one of several wins. */
export class SqlIdempotency implements IdempotencyStore {
  readonly #db: Kysely<StoreTables>;
  readonly #database: SqlDatabase;
  readonly #storedBytes: StoredBytes;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#db = database.db;
    this.#database = database;
    this.#storedBytes = new StoredBytes(database);
  }

  async claim(id: RequestId, claim: ClaimAttempt): Promise<Claim> {
    for (let look = 0; look < maxLooks; look += 1) {
      const insertion = insertClaim(this.#db, id, claim);
      const inserted = await this.#database.whenNotBusy(() => insertion.executeTakeFirst());
      if (inserted) return { kind: 'claimed', landed: toLanded(inserted.landed) };
      const row = await this.#find(id);
      // It was released in the meantime.
      if (row === undefined) continue;
      if (row.body_hash !== claim.bodyHash) return { kind: 'other_body' };
      if (row.state === 'building') return { kind: 'building', startedAt: row.started_at };
      return { kind: 'built', record: await toBuiltRecord(row) };
    }
    return { kind: 'building', startedAt: claim.now };
  }

  async reclaim(
    id: RequestId,
    from: BuiltRecord,
    claim: ClaimAttempt,
    landed: readonly LandedTransaction[],
  ): Promise<boolean> {
    const replaced = await this.#db
      .selectFrom('idempotent_requests')
      .select(['expires_at', sql<number | null>`length(packed_reply)`.as('packed_bytes')])
      .where((where) => isRow(where, id))
      .executeTakeFirst();
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ ...claimToColumns(claim), landed: landedToColumn(landed) })
      .where((where) => isRow(where, id))
      // Nothing else has this attempt: one that was completed never builds again.
      .where('attempt', '=', from.attempt);
    const { numUpdatedRows } = await this.#database.whenNotBusy(() => update.executeTakeFirst());
    if (numUpdatedRows === 0n) return false;
    // Versions before have counted nothing.
    if (replaced?.packed_bytes) this.#storedBytes.add(id.scope, -replaced.packed_bytes, replaced.expires_at);
    return true;
  }

  async claimMessages(
    id: RequestId,
    attempt: string,
    messageHashes: readonly string[],
  ): Promise<'claimed' | 'taken' | 'lost'> {
    const count = await this.#database.whenNotBusy(() => claimMessages(this.#db, id, attempt, messageHashes));
    if (count === messageHashes.length) return 'claimed';
    const row = await this.#find(id);
    return row?.state === 'building' && row.attempt === attempt ? 'taken' : 'lost';
  }

  async complete(
    id: RequestId,
    attempt: string,
    built: BuiltReply,
    now: number,
    retentionMs: number,
  ): Promise<boolean> {
    const packed = await packReply(built);
    const expiresAt = now + retentionMs;
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ state: 'built', expires_at: expiresAt, ...noReply, packed_reply: packed })
      .where((where) => isAttempt(where, id, attempt));
    if ((await this.#database.writeDurably(update.compile())) !== undefined) return false;
    const rowCount = 1 + built.transactions.length;
    this.#storedBytes.add(id.scope, packed.length + rowCount * bytesOfRow(id), expiresAt);
    return true;
  }

  async release(id: RequestId, attempt: string): Promise<void> {
    const deletion = this.#db
      .deleteFrom('idempotent_requests')
      .where((where) => isAttempt(where, id, attempt))
      .where('landed', 'is', null);
    const { numDeletedRows } = await this.#database.whenNotBusy(() => deletion.executeTakeFirst());
    if (numDeletedRows > 0n) return;
    // What has landed stays known, with an attempt whose lease ended long ago.
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ started_at: 0 })
      .where((where) => isAttempt(where, id, attempt));
    await this.#database.whenNotBusy(() => update.execute());
  }

  isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean> {
    return isMessageOfAnother(this.#db, messageHash, id);
  }

  storedBytesOf(scope: string, now: number): Promise<number> {
    return this.#storedBytes.of(scope, now);
  }

  async prune(now: number): Promise<number> {
    const { locksRows, whenNotBusy } = this.#database;
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
      // Replicas that prune at once would otherwise wait for one another.
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
  return where.and([where('scope', '=', scope), where('path', '=', path), where('idempotency_key', '=', key)]);
}

/** Whether a row is claimed by this attempt, which has neither completed nor lost it. */
function isAttempt(where: Where, id: RequestId, attempt: string) {
  return where.and([isRow(where, id), where('state', '=', 'building'), where('attempt', '=', attempt)]);
}

/**
 * The statement that inserts a claim, or puts it in the place of a row that counts as absent.
 *
 * It returns what has landed of an absent row's request; no row when there is another claim or reply.
 */
function insertClaim(db: Kysely<StoreTables>, { scope, path, key }: RequestId, claim: ClaimAttempt) {
  const columns = claimToColumns(claim);
  const { bodyHash, now, leaseMs } = claim;
  return db
    .insertInto('idempotent_requests')
    .values({ scope, path, idempotency_key: key, ...columns, landed: null })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'path', 'idempotency_key'])
        .doUpdateSet((row) => ({
          ...columns,
          landed: row
            .case()
            .when('idempotent_requests.expires_at', '<=', now)
            .then(null)
            .else(row.ref('idempotent_requests.landed'))
            .end(),
        }))
        .where((where) =>
          where.or([
            where('idempotent_requests.expires_at', '<=', now),
            where.and([
              where('idempotent_requests.state', '=', 'building'),
              // An attempt from far ahead is one from before the clock was set back.
              where.or([
                where('idempotent_requests.started_at', '<=', now - leaseMs),
                where('idempotent_requests.started_at', '>', now + leaseMs),
              ]),
              where.or([
                where('idempotent_requests.landed', 'is', null),
                where('idempotent_requests.body_hash', '=', bodyHash),
              ]),
            ]),
          ]),
        ),
    )
    .returning('landed');
}

/** The columns of a row that an attempt has just claimed. */
function claimToColumns({ bodyHash, attempt, now, retentionMs }: ClaimAttempt) {
  return {
    body_hash: bodyHash,
    attempt,
    state: 'building' as const,
    started_at: now,
    expires_at: now + retentionMs,
    ...noReply,
  };
}
