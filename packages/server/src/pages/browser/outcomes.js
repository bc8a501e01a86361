import { ask, pauseAfter } from './service.js';
import { toBase64 } from './transaction-bytes.js';

/** @import { TransferOutcome } from 'splwright-client' */

/**
 * A transaction whose outcome is asked for.
 * @typedef {{ bytes: Uint8Array } & Lived} Followed
 */

/**
 * How long a transaction lives. `finalityBlocks`: how far the cluster's finality is behind its newest block, once that was seen.
 * @typedef {{ lastValidBlockHeight: string | undefined, finalityBlocks?: bigint }} Lived
 */

/**
 * Asks for the outcome of a transaction again and again, until it can no longer change or the signal is aborted.
 * @param {Followed} followed
 * @param {AbortSignal} signal
 * @param {(outcome: TransferOutcome) => void} onOutcome
 * @param {number} usualPauseMs
 */
export async function followOutcome({ bytes, lastValidBlockHeight }, signal, onOutcome, usualPauseMs) {
  while (!signal.aborted) {
    const reply = await ask('POST', '/v1/transfers/outcome', {
      transaction: toBase64(bytes),
      ...(lastValidBlockHeight !== undefined && { last_valid_block_height: lastValidBlockHeight }),
    });
    if (signal.aborted) return;
    if (reply.ok) {
      onOutcome(reply.body.data);
      if (reply.body.data.is_final) return;
    }
    await pause(pauseAfter(reply, usualPauseMs), signal);
  }
}

/**
 * Waits, and while the page is hidden goes on waiting. Ends early when the signal comes.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    setTimeout(() => {
      document.addEventListener('visibilitychange', done);
      done();
    }, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// Of a blockhash (`MAX_PROCESSING_AGE` of agave).
const lifetimeBlocks = 150n;

const showMs = 200;

/**
 * Counts the blocks in which a transaction can still land, in the text of an element, by the heights that outcomes name: between two
 * of them it goes on at the pace that was measured, and names the time as soon as there is a pace.
 *
 * Outcomes name the finalized height. How far that is behind the newest block shows the first one: the transaction has just been built.
 * @param {HTMLElement} element
 * @param {Lived} lived
 * @param {AbortSignal} signal ends it
 * @returns {(outcome: TransferOutcome) => void} takes an outcome
 */
export function countBlocks(element, lived, signal) {
  const { lastValidBlockHeight } = lived;
  if (lastValidBlockHeight === undefined) {
    element.textContent = 'Lives by a nonce: it can land until the nonce is advanced.';
    return () => {};
  }
  /** @type {{ height: bigint, at: number } | undefined} */
  let first;
  /** @type {{ height: bigint, at: number } | undefined} */
  let last;
  const show = () => {
    if (!first || !last) return;
    const blocks = Number(last.height - first.height);
    const blockMs = blocks > 0 ? (last.at - first.at) / blocks : undefined;
    const passed = blockMs ? Math.floor((performance.now() - last.at) / blockMs) : 0;
    const left = Number(BigInt(lastValidBlockHeight) - last.height - (lived.finalityBlocks ?? 0n)) - passed;
    const time = blockMs ? ` (${Math.ceil((left * blockMs) / 1_000)} s)` : '';
    element.textContent =
      left > 0
        ? `Can land for about ${left} more ${left === 1 ? 'block' : 'blocks'}${time}.`
        : 'It can no longer land. Whether it has landed is certain soon.';
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
