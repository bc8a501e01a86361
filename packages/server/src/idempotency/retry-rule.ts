import type { LandedVerdict, Verdict } from '../service/outcome/verdict.ts';

/** What became of one transaction of a stored reply. */
export interface TransactionFate {
  verdict: Verdict;
  /** The last block height at which its own bytes can land; `undefined` with a durable nonce. */
  lastValidBlockHeight: bigint | undefined;
}

/**
 * What a retry gets.
 *
 * - `replay`: the stored reply, because one of its transactions can still land as it is.
 * - `rebuild`: a new transaction, because those before can never land.
 * - `landed`: a refusal with the first transaction that landed, and the indices of those that can never land.
 * - `may_land`: a refusal until `retryAfterSeconds` have passed, because of a transaction that may have landed or may still land.
 */
export type RetryDecision =
  | { kind: 'replay' }
  | { kind: 'rebuild' }
  | { kind: 'landed'; landed: LandedVerdict; dead: readonly number[] }
  | { kind: 'may_land'; verdict: Verdict; retryAfterSeconds: number };

/** How long a block takes: slots of 400 ms are the longest of all clusters. */
const blockSeconds = 0.4;
const maxRetrySeconds = 60;
/** When nothing says how long it takes to be certain. */
const unknownRetrySeconds = 30;
/** 32 slots after a transaction was confirmed it is finalized. */
const finalizationSeconds = 13;

/**
 * Decides what a retry gets, from what became of the transactions that were built before.
 *
 * Of several transactions that paid one request together, the landed ones forbid to build all of them again, and one that can
 * still land is worth replaying. `blockHeight` is the one at `confirmed`; without it nothing that lives by a blockhash is replayed.
 */
export function decideRetry(fates: readonly TransactionFate[], blockHeight: bigint | undefined): RetryDecision {
  if (fates.some((transaction) => canStillLand(transaction, blockHeight))) return { kind: 'replay' };
  const verdicts = fates.map(({ verdict }) => verdict);
  const open = verdicts.find((verdict) => verdict.outcome !== 'landed' && !isDead(verdict));
  if (open) return { kind: 'may_land', verdict: open, retryAfterSeconds: retryAfterSeconds(open) };
  const landed = verdicts.find((verdict) => verdict.outcome === 'landed');
  if (!landed) return { kind: 'rebuild' };
  return { kind: 'landed', landed, dead: verdicts.flatMap((verdict, index) => (isDead(verdict) ? [index] : [])) };
}

function canStillLand({ verdict, lastValidBlockHeight }: TransactionFate, blockHeight: bigint | undefined): boolean {
  if (verdict.outcome !== 'pending') return false;
  if (lastValidBlockHeight === undefined) return verdict.reason === 'nonce_unused';
  // The other reasons tell of a transaction that is on its way already.
  const isUntouched = verdict.reason === 'lifetime' || verdict.reason === 'failed_but_alive';
  return isUntouched && blockHeight !== undefined && blockHeight <= lastValidBlockHeight;
}

// A failure counts once no fork can undo it: the signed bytes cannot land twice.
function isDead(verdict: Verdict): boolean {
  return verdict.outcome === 'expired' || (verdict.outcome === 'failed' && verdict.commitment === 'finalized');
}

function retryAfterSeconds(verdict: Verdict): number {
  if (verdict.outcome === 'failed') return finalizationSeconds;
  if (verdict.outcome !== 'pending') return unknownRetrySeconds;
  const { reason, blockHeight, lastValidBlockHeight } = verdict;
  if (reason === 'not_final' || reason === 'nonce_used_not_final') return finalizationSeconds;
  if (blockHeight === undefined || lastValidBlockHeight === undefined) return unknownRetrySeconds;
  const seconds = Math.ceil(Number(lastValidBlockHeight - blockHeight) * blockSeconds);
  return Math.min(Math.max(seconds, 1), maxRetrySeconds);
}
