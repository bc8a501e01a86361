import type { LandedVerdict, PendingVerdict, Verdict } from '../outcomes/verdict.ts';
import { AppError, type BatchProgress } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import type { BuiltTransaction } from './idempotent-request.ts';

const progressRetrySeconds = 1;
const nonceRetrySeconds = 30;
const hourMs = 3_600_000;

/** The refusal of a request that another attempt under the same key is building for. */
export function inProgress(): AppError {
  return new AppError(
    'idempotency_in_progress',
    'Another request with this Idempotency-Key is being answered. Send this one again in a second: it then gets that reply.',
    { retryAfterSeconds: progressRetrySeconds },
  );
}

/** The refusal of a request whose transactions have the same bytes as those of another request, which the chain takes once. */
export function identicalTransaction(sent: readonly Pick<BuiltTransaction, 'lastValidBlockHeight'>[]): AppError {
  const start = 'An equal payment under another Idempotency-Key has the same transaction, which can land only once.';
  // It stays the same until the nonce is used.
  if (sent.some(({ lastValidBlockHeight }) => lastValidBlockHeight === undefined)) {
    const remedy =
      'Both have the same nonce: send this request again once the other has landed, or with another nonce_account.';
    return new AppError('identical_transaction', `${start} ${remedy}`, { retryAfterSeconds: nonceRetrySeconds });
  }
  return new AppError(
    'identical_transaction',
    `${start} Send this request again in a second: it then gets a transaction of its own, unless it names a recent_blockhash. A memo or a ` +
      'reference for each payment avoids this.',
    { retryAfterSeconds: progressRetrySeconds },
  );
}

/** The refusal of a key that belongs to a request with another body. */
export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key belongs to a request with another body. Send that body again, or this one with a key of its own.',
  );
}

/** A transaction that has landed. */
type Landed = Pick<LandedVerdict, 'signature' | 'slot' | 'blockTime' | 'ambiguous'>;

/** The refusal of a retry whose payment has landed; `progress`: of a batch, all of which has landed. */
export function alreadyLanded(
  { signature, slot, blockTime, ambiguous }: Landed,
  progress: BatchProgress = {},
): AppError {
  const { landed_transactions: transactions = [] } = progress;
  const others =
    ambiguous === undefined
      ? ''
      : ` Payments exactly like it landed as well, so it may be another of these: ${ambiguous.join(', ')}.`;
  const all =
    transactions.length > 1
      ? ` So did the other transactions of the batch, ${transactions.length} in all: landed_transactions has every signature.`
      : '';
  return new AppError(
    'already_landed',
    `What was built for this Idempotency-Key landed in slot ${slot} with the signature ${signature}.${all} Nothing was built.` +
      `${others} For another payment send another Idempotency-Key.`,
    {
      landed: { signature, slot: slot.toString(), block_time: blockTime === null ? null : Number(blockTime) },
      progress,
    },
  );
}

/** The refusal of a retry while what was built before may have landed, or may still land; `progress`: of a batch. */
export function previousMayLand(verdict: Verdict, retryAfterSeconds: number, progress?: BatchProgress): AppError {
  const detail =
    `What was built for this Idempotency-Key ${explain(verdict)}, so nothing was built. Send this request again in ` +
    `${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}: POST /v1/transfers/outcome says more about it.`;
  return new AppError('previous_may_land', detail, { retryAfterSeconds, progress });
}

/** The refusal of a request for whose reply the API key has no room left. */
export function replyQuotaReached(quota: {
  storedBytes: number;
  /** The bytes that this request and those that are being answered may take. */
  underWayBytes: number;
  maxStoredBytes: number;
  retentionMs: number;
}): AppError {
  const { storedBytes, underWayBytes, maxStoredBytes, retentionMs } = quota;
  return new AppError(
    'reply_quota_reached',
    `The stored replies of this API key take ${storedBytes} of ${maxStoredBytes} bytes, and this request, with those under way, ` +
      `may need ${underWayBytes} more. Nothing was built. Replies are deleted ${Math.round(retentionMs / hourMs)} hours after they ` +
      'were built, in whole hours. Retries of stored requests still work. Send this request later, or without an Idempotency-Key if ' +
      'you never repeat it.',
  );
}

/** The refusal of a request whose key cannot be looked up, or whose reply cannot be stored. */
export function storeUnavailable(error: unknown): AppError {
  return new AppError(
    'idempotency_unavailable',
    'The database that remembers each Idempotency-Key does not answer, so no transaction is handed out. Try again soon.',
    { retryAfterSeconds: storeRetrySeconds, cause: storeFaultOf(error) },
  );
}

function explain(verdict: Verdict): string {
  switch (verdict.outcome) {
    case 'pending':
      return explainPending(verdict);
    case 'failed':
      return `failed with the signature ${verdict.signature}, which is not final yet`;
    case 'unknown':
      return `may have landed: the Solana nodes cannot tell for certain (${verdict.reason})`;
    default:
      return 'may still land';
  }
}

function explainPending({ reason, blockHeight, lastValidBlockHeight, similar = [] }: PendingVerdict): string {
  if (similar.length > 0) return `may have landed: a payment is on chain that may be it (${similar.join(', ')})`;
  const livesByBlockhash = reason === 'lifetime' || reason === 'failed_but_alive';
  if (!livesByBlockhash || blockHeight === undefined || lastValidBlockHeight === undefined) return 'may still land';
  return (
    `can no longer be sent as it is, but a wallet may have replaced its blockhash: it can land until block height ` +
    `${lastValidBlockHeight} is final, and ${blockHeight} is`
  );
}
