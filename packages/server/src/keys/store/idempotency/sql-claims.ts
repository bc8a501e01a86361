import type { Kysely } from 'kysely';
import { noReply } from './idempotency-rows.ts';
import type { ClaimAttempt, RequestId } from './idempotency-store.ts';
import type { IdempotencyTables } from './idempotency-tables.ts';

/**
 * The statement that inserts a claim, or puts it in the place of a row that counts as absent.
 *
 * It returns what has landed of an absent row's request; no row when there is another claim or reply.
 */
export function insertClaim(db: Kysely<IdempotencyTables>, { scope, path, key }: RequestId, claim: ClaimAttempt) {
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
export function claimToColumns({ bodyHash, attempt, now, retentionMs }: ClaimAttempt) {
  return {
    body_hash: bodyHash,
    attempt,
    state: 'building' as const,
    started_at: now,
    expires_at: now + retentionMs,
    ...noReply,
  };
}
