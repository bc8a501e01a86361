import type { LandedVerdict, Verdict } from '../outcomes/verdict.ts';

/** What became of one transaction of a stored reply. */
export interface TransactionFate {
  verdict: Verdict;
  /** The last block height at which its own bytes can land; `undefined` with a durable nonce. */
  lastValidBlockHeight: bigint | undefined;
}

/** A transaction that has landed, by its index in the stored reply. */
export interface LandedFate {
  index: number;
  verdict: LandedVerdict;
}

/**
 * What a retry gets.
 *
 * - `replay`: the stored reply, because one of its transactions can still land as it is.
 * - `rebuild`: new transactions in place of those that can never land; `landed` are the others, which never land again.
 * - `landed`: a refusal with every transaction, because all have landed.
 * - `may_land`: a refusal until `retryAfterSeconds` have passed, because of a transaction that may have landed or may still land.
 */
export type RetryDecision =
  | { kind: 'replay' }
  | { kind: 'rebuild'; landed: readonly LandedFate[] }
  | { kind: 'landed'; landed: readonly [LandedFate, ...LandedFate[]] }
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
 * While any transaction of the reply can still land, the reply is replayed. Once none can, and no fork can undo those that landed,
 * the dead ones are built again. `blockHeight` is the one at `confirmed`; without it nothing that lives by a blockhash is replayed.
 */
export function decideRetry(fates: readonly TransactionFate[], blockHeight: bigint | undefined): RetryDecision {
  if (fates.some((transaction) => canStillLand(transaction, blockHeight))) return { kind: 'replay' };
  const verdicts = fates.map(({ verdict }) => verdict);
  const landed = verdicts.flatMap((verdict, index) => (verdict.outcome === 'landed' ? [{ index, verdict }] : []));
  const [first, ...others] = landed;
  if (first && landed.length === verdicts.length) return { kind: 'landed', landed: [first, ...others] };
  const open = verdicts.find((verdict) => !isDead(verdict) && !hasLandedForGood(verdict));
  if (open) return { kind: 'may_land', verdict: open, retryAfterSeconds: retryAfterSeconds(open) };
  return { kind: 'rebuild', landed };
}

function canStillLand({ verdict, lastValidBlockHeight }: TransactionFate, blockHeight: bigint | undefined): boolean {
  if (verdict.outcome !== 'pending') return false;
  if (lastValidBlockHeight === undefined) return verdict.reason === 'nonce_unused';
  // The other reasons tell of a transaction that is on its way already.
  const isUntouched = verdict.reason === 'lifetime' || verdict.reason === 'failed_but_alive';
  return isUntouched && blockHeight !== undefined && blockHeight <= lastValidBlockHeight;
}

function hasLandedForGood(verdict: Verdict): boolean {
  return verdict.outcome === 'landed' && verdict.commitment === 'finalized';
}

// A failure counts once no fork can undo it: the signed bytes cannot land twice.
function isDead(verdict: Verdict): boolean {
  return verdict.outcome === 'expired' || (verdict.outcome === 'failed' && verdict.commitment === 'finalized');
}

function retryAfterSeconds(verdict: Verdict): number {
  if (verdict.outcome === 'failed' || verdict.outcome === 'landed') return finalizationSeconds;
  if (verdict.outcome !== 'pending') return unknownRetrySeconds;
  const { reason, blockHeight, lastValidBlockHeight } = verdict;
  if (reason === 'not_final' || reason === 'nonce_used_not_final') return finalizationSeconds;
  if (blockHeight === undefined || lastValidBlockHeight === undefined) return unknownRetrySeconds;
  const seconds = Math.ceil(Number(lastValidBlockHeight - blockHeight) * blockSeconds);
  return Math.min(Math.max(seconds, 1), maxRetrySeconds);
}
