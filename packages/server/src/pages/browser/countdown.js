/** @import { TransferOutcome } from 'splwright-client' */

// What clusters aim at; the next outcome corrects what is counted by it.
const blockMs = 400;

// Outcomes name the finalized height, and new blocks are that much higher.
const blocksToFinality = 32;

/**
 * Counts the blocks in which a transaction can still land, in the text of an element, corrected by each outcome.
 * @param {HTMLElement} element
 * @param {string | undefined} lastValidBlockHeight
 * @param {AbortSignal} signal ends it
 * @returns {(outcome: TransferOutcome) => void} takes an outcome
 */
export function countBlocks(element, lastValidBlockHeight, signal) {
  if (lastValidBlockHeight === undefined) {
    element.textContent = 'Lives by a nonce: it can land until the nonce is advanced.';
    return () => {};
  }
  /** @type {{ height: bigint, at: number } | undefined} */
  let known;
  const show = () => {
    if (!known) return;
    const passed = Math.floor((performance.now() - known.at) / blockMs);
    const left = Number(BigInt(lastValidBlockHeight) - known.height) - passed;
    element.dataset.left = String(Math.max(0, left));
    element.textContent =
      left > 0
        ? `Can land for about ${left} more blocks (${Math.ceil((left * blockMs) / 1_000)} s).`
        : 'Its time is over. Whether it has landed is certain in some seconds.';
  };
  const timer = setInterval(show, blockMs);
  signal.addEventListener('abort', () => clearInterval(timer));
  return ({ block_height: height, is_final: isFinal, outcome }) => {
    if (isFinal || outcome === 'landed' || outcome === 'failed') {
      clearInterval(timer);
      element.textContent = '';
      return;
    }
    if (height === undefined) return;
    known = { height: BigInt(height) + BigInt(blocksToFinality), at: performance.now() };
    show();
  };
}
