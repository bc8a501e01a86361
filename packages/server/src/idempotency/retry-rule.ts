import type { LandedVerdict, PendingVerdict, Verdict } from '../outcomes/verdict.ts';

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
 * - `may_land`: a refusal, because of a transaction that may have landed or may still land.
 */
export type RetryDecision =
  | { kind: 'replay' }
  | { kind: 'rebuild'; landed: readonly LandedFate[] }
  | { kind: 'landed'; landed: readonly [LandedFate, ...LandedFate[]] }
  | { kind: 'may_land'; verdict: Verdict };

const maxRetrySeconds = 60;
/** When nothing says how long it takes to be certain. */
const unknownRetrySeconds = 30;
/** What is on chain and not final is asked for again after this, however a cluster finalizes. */
const finalitySeconds = 5;

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
  if (open) return { kind: 'may_land', verdict: open };
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

/** How many blocks must still become final before it is certain; `undefined` where no height says it. */
export function blocksToWait(verdict: Verdict): bigint | undefined {
  if (verdict.outcome !== 'pending' || isOnChain(verdict)) return undefined;
  const { blockHeight, lastValidBlockHeight } = verdict;
  return blockHeight === undefined || lastValidBlockHeight === undefined
    ? undefined
    : lastValidBlockHeight - blockHeight;
}

/** Returns after how many seconds another retry makes sense, from 1 to 60. `slotMs`: how long a slot takes, if that is known. */
export function retryAfterSeconds(verdict: Verdict, slotMs: number | undefined): number {
  if (verdict.outcome === 'failed' || verdict.outcome === 'landed') return finalitySeconds;
  if (verdict.outcome === 'pending' && isOnChain(verdict)) return finalitySeconds;
  const blocks = blocksToWait(verdict);
  if (blocks === undefined || slotMs === undefined) return unknownRetrySeconds;
  const seconds = Math.ceil((Number(blocks) * slotMs) / 1_000);
  return Math.min(Math.max(seconds, 1), maxRetrySeconds);
}

/** Whether what decides is on chain, and only not final. */
function isOnChain({ reason }: PendingVerdict): boolean {
  return reason === 'not_final' || reason === 'nonce_used_not_final';
}
