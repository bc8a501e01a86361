import type { TransferOutcome } from 'splwright-client';
import { ask, pauseAfter } from './service.ts';
import { toBase64 } from './transaction-bytes.ts';

/** How long a transaction lives. */
interface Lived {
  lastValidBlockHeight: string | undefined;
  /** How far the cluster's finality is behind its newest block, once that was seen. */
  finalityBlocks?: bigint;
}

/** A transaction whose outcome is asked for. */
export interface Followed extends Lived {
  bytes: Uint8Array;
  /**
   * Whether a wallet was asked to send it and has not answered. Then no outcome of now proves that it never lands: the wallet may
   * still sign it, with a newer blockhash.
   */
  isWithWallet?: boolean;
}

/** The members of a request that asks for the outcome of a transaction. */
export interface Question {
  transaction: string;
  last_valid_block_height?: string;
}

export const outcomePath = '/v1/transfers/outcome';

/** Asks for the outcome of a transaction again and again, until it can no longer change or the signal is aborted. */
export async function followOutcome(
  followed: Followed,
  signal: AbortSignal,
  onOutcome: (outcome: TransferOutcome) => void,
  usualPauseMs: number,
): Promise<void> {
  while (!signal.aborted) {
    const reply = await ask<{ data: TransferOutcome }>('POST', outcomePath, questionOf(followed));
    if (signal.aborted) return;
    if (reply.ok) {
      const outcome = provenOf(followed, reply.body.data);
      onOutcome(outcome);
      if (outcome.is_final) return;
    }
    await pause(pauseAfter(reply, usualPauseMs), signal);
  }
}

/** The outcome as far as it is proven: nothing is `expired` that a wallet may still sign. */
export function provenOf({ isWithWallet }: Followed, outcome: TransferOutcome): TransferOutcome {
  if (!isWithWallet || outcome.outcome !== 'expired') return outcome;
  const reason = 'It has not landed. A wallet may still send it, with a newer blockhash.';
  return { ...outcome, outcome: 'pending', is_final: false, reason };
}

export function questionOf({ bytes, lastValidBlockHeight }: Followed): Question {
  const height = lastValidBlockHeight === undefined ? {} : { last_valid_block_height: lastValidBlockHeight };
  return { transaction: toBase64(bytes), ...height };
}

// More than finality is behind the newest block on any cluster.
const finalityBlocks = 32n;

/**
 * The last valid block height to ask with once a wallet has answered: its own, or the newest one if that is higher.
 *
 * An outcome leaves a wallet as many blocks more as a blockhash lives, and this wallet may have taken one until now.
 */
export async function heightAfterWallet(followed: Followed): Promise<string | undefined> {
  const { lastValidBlockHeight } = followed;
  if (lastValidBlockHeight === undefined) return undefined;
  // Also once the page shows something else: what is kept of it is judged by this height.
  for (;;) {
    const reply = await ask<{ data: TransferOutcome }>('POST', outcomePath, questionOf(followed));
    const height = reply.ok ? reply.body.data.block_height : undefined;
    if (height !== undefined) {
      const newest = BigInt(height) + finalityBlocks;
      return newest > BigInt(lastValidBlockHeight) ? String(newest) : lastValidBlockHeight;
    }
    // What is on chain needs no height any more; a node that cannot tell has perhaps not said it.
    if (reply.ok && reply.body.data.outcome !== 'unknown') return lastValidBlockHeight;
    await pause(pauseAfter(reply, 1_000));
  }
}

/** Waits, and while the page is hidden goes on waiting. Ends early when the signal comes. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal?.aborted) return;
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    setTimeout(() => {
      document.addEventListener('visibilitychange', done);
      done();
    }, ms);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

// Of a blockhash (`MAX_PROCESSING_AGE` of agave).
const lifetimeBlocks = 150n;

const showMs = 200;

/**
 * Counts the seconds in which a transaction can still land, in the text of an element, by the heights that outcomes name: between two
 * of them it goes on at the pace of blocks that was measured, and until there is a pace it names no number.
 *
 * Outcomes name the finalized height. How far that is behind the newest block shows the first one: the transaction has just been built.
 */
export function countBlocks(
  element: HTMLElement,
  lived: Lived,
  signal: AbortSignal,
): (outcome: TransferOutcome) => void {
  const { lastValidBlockHeight } = lived;
  if (lastValidBlockHeight === undefined) {
    element.textContent = 'Uses a nonce: it can land until the nonce is advanced.';
    return () => {};
  }
  let first: { height: bigint; at: number } | undefined;
  let last: typeof first;
  const show = () => {
    if (!first || !last) return;
    const blocks = Number(last.height - first.height);
    const blockMs = blocks > 0 ? (last.at - first.at) / blocks : undefined;
    const passed = blockMs ? Math.floor((performance.now() - last.at) / blockMs) : 0;
    const left = Number(BigInt(lastValidBlockHeight) - last.height - (lived.finalityBlocks ?? 0n)) - passed;
    const time = blockMs ? `${Math.ceil((left * blockMs) / 1_000)} seconds` : 'a minute';
    element.textContent =
      left > 0
        ? `Can land for about ${time}.`
        : 'Its blockhash is too old, but a wallet can replace it: it may still land until its outcome is certain.';
  };
  const timer = setInterval(show, showMs);
  signal.addEventListener('abort', () => clearInterval(timer));
  return ({ block_height: height, is_final: isFinal, outcome }) => {
    if (isFinal || outcome === 'landed' || outcome === 'failed') {
      clearInterval(timer);
      element.textContent = '';
      return;
    }
    if (height === undefined) return;
    last = { height: BigInt(height), at: performance.now() };
    first ??= last;
    const behind = BigInt(lastValidBlockHeight) - lifetimeBlocks - last.height;
    lived.finalityBlocks ??= behind > 0n ? behind : 0n;
    show();
  };
}
