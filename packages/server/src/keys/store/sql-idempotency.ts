import type { CompiledQuery, ExpressionBuilder, Kysely } from 'kysely';
import { noReply, replyToColumns, toBuiltRecord } from './idempotency-rows.ts';
import type { BuiltRecord, BuiltReply, Claim, ClaimAttempt, IdempotencyStore, RequestId } from './idempotency-store.ts';
import type { IdempotentRequestRow, KeyTables } from './key-tables.ts';
import { whenSoonNotBusy } from './sqlite-busy.ts';

/** What differs between the databases. */
export interface SqlIdempotencyOptions {
  /** Runs one write whose commit a loss of power does not undo; resolves to the number of rows that it changed. */
  writeDurably: (query: CompiledQuery) => Promise<bigint>;
  /** Whether a query can pass over rows that another one has locked: SQLite locks no rows. */
  canSkipLocked: boolean;
}

/** So few that deleting them keeps an SQLite file locked, and its process busy, for some milliseconds only. */
const rowsPerPrune = 200;
/** How often a claim looks again at a row that others make and delete at the same moments. */
const maxLooks = 5;

/** The requests with an `Idempotency-Key` in an SQL database: each change is one statement, so that one of several wins. */
export class SqlIdempotency implements IdempotencyStore {
  readonly #db: Kysely<KeyTables>;
  readonly #options: SqlIdempotencyOptions;

  /** Uses `db`, which its owner closes. */
  constructor(db: Kysely<KeyTables>, options: SqlIdempotencyOptions) {
    this.#db = db;
    this.#options = options;
  }

  async claim(id: RequestId, claim: ClaimAttempt): Promise<Claim> {
    for (let look = 0; look < maxLooks; look += 1) {
      if (await this.#insert(id, claim)) return { kind: 'claimed' };
      const row = await this.#find(id);
      // It was released in the meantime.
      if (row === undefined) continue;
      if (row.body_hash !== claim.bodyHash) return { kind: 'other_body' };
      if (row.state === 'building') return { kind: 'building', startedAt: row.started_at };
      return { kind: 'built', record: toBuiltRecord(row) };
    }
    return { kind: 'building', startedAt: claim.now };
  }

  async reclaim(id: RequestId, from: BuiltRecord, claim: ClaimAttempt): Promise<boolean> {
    const update = this.#db
      .updateTable('idempotent_requests')
      .set(claimToColumns(claim))
      .where((where) => isRow(where, id))
      // Nothing else has this attempt: one that was completed never builds again.
      .where('attempt', '=', from.attempt);
    const { numUpdatedRows } = await whenSoonNotBusy(() => update.executeTakeFirst());
    return numUpdatedRows > 0n;
  }

  // Noted first and looked for then: each statement is committed by itself, so the later of two sees the earlier one.
  async claimMessage(id: RequestId, attempt: string, messageHash: string): Promise<'claimed' | 'taken' | 'lost'> {
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ message_hash: messageHash })
      .where((where) => isAttempt(where, id, attempt));
    const { numUpdatedRows } = await whenSoonNotBusy(() => update.executeTakeFirst());
    if (numUpdatedRows === 0n) return 'lost';
    return (await this.isBuiltByAnother(messageHash, id)) ? 'taken' : 'claimed';
  }

  async complete(
    id: RequestId,
    attempt: string,
    built: BuiltReply,
    now: number,
    retentionMs: number,
  ): Promise<boolean> {
    const update = this.#db
      .updateTable('idempotent_requests')
      .set({ state: 'built', expires_at: now + retentionMs, ...replyToColumns(built) })
      .where((where) => isAttempt(where, id, attempt));
    return (await this.#options.writeDurably(update.compile())) > 0n;
  }

  async release(id: RequestId, attempt: string): Promise<void> {
    const deletion = this.#db.deleteFrom('idempotent_requests').where((where) => isAttempt(where, id, attempt));
    await whenSoonNotBusy(() => deletion.execute());
  }

  async isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean> {
    const row = await this.#db
      .selectFrom('idempotent_requests')
      .select('state')
      .where('message_hash', '=', messageHash)
      .where((where) => where.not(isRow(where, id)))
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async prune(now: number): Promise<number> {
    const expired = this.#db
      .selectFrom('idempotent_requests')
      .select(['scope', 'path', 'idempotency_key'])
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(rowsPerPrune)
      // Replicas that prune at once would otherwise wait for one another.
      .$if(this.#options.canSkipLocked, (query) => query.forUpdate().skipLocked());
    const deletion = this.#db
      .deleteFrom('idempotent_requests')
      .where(({ eb, refTuple }) =>
        eb(refTuple('scope', 'path', 'idempotency_key'), 'in', expired.$asTuple('scope', 'path', 'idempotency_key')),
      )
      // A row that was claimed in the meantime is checked again by this alone.
      .where('expires_at', '<=', now);
    const { numDeletedRows } = await whenSoonNotBusy(() => deletion.executeTakeFirst());
    return Number(numDeletedRows);
  }

  /** Inserts a claim, or puts it in the place of a row that counts as absent; returns whether it did. */
  async #insert({ scope, path, key }: RequestId, claim: ClaimAttempt): Promise<boolean> {
    const columns = claimToColumns(claim);
    const { now, leaseMs } = claim;
    const insertion = this.#db
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
                // An attempt from far ahead is one from before the clock was set back.
                where.or([
                  where('idempotent_requests.started_at', '<=', now - leaseMs),
                  where('idempotent_requests.started_at', '>', now + leaseMs),
                ]),
              ]),
            ]),
          ),
      );
    const { numInsertedOrUpdatedRows } = await whenSoonNotBusy(() => insertion.executeTakeFirst());
    return numInsertedOrUpdatedRows !== 0n;
  }

  #find(id: RequestId): Promise<IdempotentRequestRow | undefined> {
    return this.#db
      .selectFrom('idempotent_requests')
      .selectAll()
      .where((where) => isRow(where, id))
      .executeTakeFirst();
  }
}

type Where = ExpressionBuilder<KeyTables, 'idempotent_requests'>;

function isRow(where: Where, { scope, path, key }: RequestId) {
  return where.and([where('scope', '=', scope), where('path', '=', path), where('idempotency_key', '=', key)]);
}

/** Whether a row is claimed by this attempt, which has neither completed nor lost it. */
function isAttempt(where: Where, id: RequestId, attempt: string) {
  return where.and([isRow(where, id), where('state', '=', 'building'), where('attempt', '=', attempt)]);
}

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
