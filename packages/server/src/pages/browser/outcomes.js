import { ask, pauseAfter } from './service.js';
import { toBase64 } from './transaction-bytes.js';

/** @import { TransferOutcome } from 'splwright-client' */

/**
 * A transaction whose outcome is asked for.
 * @typedef {{ bytes: Uint8Array, lastValidBlockHeight: string | undefined }} Followed
 */

/**
 * Asks for the outcome of a transaction again and again, until it can no longer change or the signal says that nobody wants it.
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
