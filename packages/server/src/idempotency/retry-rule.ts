import type { LandedVerdict, PendingVerdict, Verdict } from '../outcomes/verdict.ts';

/** The fate of one transaction of a stored reply. */
export interface TransactionFate {
  verdict: Verdict;
  /** The last block height at which its own bytes can land; `undefined` with a durable nonce. */
  lastValidBlockHeight: bigint | undefined;
}

/**
 * The state of a transaction, as far as a retry must know it.
 *
 * - `landed`: final or not. Until it is, a fork may still undo it.
 * - `may_land`: it may still land, or may have. `canBeSent`: its own bytes can land, and nothing was seen that may be it.
 * - `dead`: it has not landed, and never can. Only what it was to pay is built again.
 */
export type TransactionState =
  | { kind: 'landed'; verdict: LandedVerdict }
  | { kind: 'may_land'; verdict: Verdict; canBeSent: boolean }
  | { kind: 'dead' };

const maxRetrySeconds = 60;
/** When nothing says how long it takes to be certain. */
const unknownRetrySeconds = 30;
/** A transaction that is on chain and not final is asked for again after this, however a cluster finalizes. */
const finalitySeconds = 5;

/** Decides the state of a transaction. `blockHeight` is the one at `confirmed`; without it nothing that lives by a blockhash can be sent. */
export function stateOf(fate: TransactionFate, blockHeight: bigint | undefined): TransactionState {
  const { verdict } = fate;
  if (verdict.outcome === 'landed') return { kind: 'landed', verdict };
  if (isDead(verdict)) return { kind: 'dead' };
  return { kind: 'may_land', verdict, canBeSent: canStillLand(fate, blockHeight) };
}

function canStillLand({ verdict, lastValidBlockHeight }: TransactionFate, blockHeight: bigint | undefined): boolean {
  if (verdict.outcome !== 'pending' || verdict.hasFailed) return false;
  // What is on chain may be this payment as a wallet changed it: its own bytes would pay again.
  if (verdict.similar !== undefined && verdict.similar.length > 0) return false;
  if (lastValidBlockHeight === undefined) return verdict.reason === 'nonce_unused';
  // The other reasons tell of a transaction that is on its way already.
  const isUntouched = verdict.reason === 'lifetime' || verdict.reason === 'failed_but_alive';
  return isUntouched && blockHeight !== undefined && blockHeight <= lastValidBlockHeight;
}

/** Whether a transaction never lands. A failure counts once no fork can undo it: the signed bytes cannot land twice. */
export function isDead(verdict: Verdict): boolean {
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
  if (verdict.outcome === 'failed') return finalitySeconds;
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
