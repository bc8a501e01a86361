import { make, makeButton } from './make.js';
import { countBlocks } from './outcomes.js';
import { offerSigners } from './sending.js';
import { ask, pauseAfter } from './service.js';
import { isUnsent, signAndSend } from './signing.js';
import { bytesOf, toBase64 } from './transaction-bytes.js';

/** @import { BatchData, TransferOutcome } from 'splwright-client' */
/** @import { Followed } from './outcomes.js' */
/** @import { Tracker } from './recent.js' */
/** @import { Signer } from './signing.js' */

/**
 * A batch that is under way: what it is asked for with, again and again, and what was handed to a signer.
 * @typedef {object} StoredBatch
 * @property {string} key its `Idempotency-Key`: under it nothing is paid twice
 * @property {Record<string, unknown>} body
 * @property {string[]} sent the unsigned transactions that were sent or may have been, in base64
 * @property {boolean} isReproducible whether signing one again makes the same transaction, as the sandbox does and wallets may not
 */

// Not that of the tab alone: a payroll must survive the end of its browser. It has no API key in it.
const storageName = 'splwright batch';

/**
 * What is under way in this browser.
 * @returns {StoredBatch | undefined}
 */
export function recallBatch() {
  try {
    return JSON.parse(localStorage.getItem(storageName) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a batch, or discards it. Throws where the browser keeps nothing: without it a reload could pay twice.
 * @param {StoredBatch | undefined} batch
 */
export function rememberBatch(batch) {
  if (batch) localStorage.setItem(storageName, JSON.stringify(batch));
  else localStorage.removeItem(storageName);
}

/**
 * Whether something of a batch may have been sent: then it is resumed or discarded before another one is built.
 * @param {StoredBatch | undefined} batch
 */
export function isUnderWay(batch) {
  return batch !== undefined && batch.sent.length > 0;
}

/**
 * One transaction of a batch.
 * @typedef {object} Part
 * @property {string} built in base64
 * @property {Uint8Array} bytes as it was sent, as far as that is known
 * @property {TransferOutcome | undefined} outcome
 * @property {boolean} isSent
 * @property {HTMLElement} state
 */

const pollMs = 1_500;
const maxAsked = 100;

/**
 * Signs and sends the transactions of a batch, one after the other, and shows how far it is until all of them are final.
 *
 * What is handed to a signer is kept first: after a reload it is asked for, and not signed by a wallet again.
 * @typedef {object} BatchOptions
 * @property {StoredBatch} batch
 * @property {BatchData} data
 * @property {AbortSignal} signal
 * @property {() => void} again builds the rest
 * @property {(transactions: readonly Followed[]) => Tracker} track
 * @param {BatchOptions} options
 */
export function runBatch({ batch, data, signal, again, track }) {
  const parts = data.transactions.map((each) => partOf(each.transaction, batch));
  const lastValidBlockHeight = data.lifetime.last_valid_block_height;
  const known = () => parts.map(({ bytes }) => ({ bytes, lastValidBlockHeight }));
  const tracker = track(known());
  const bar = make('progress', { max: String(2 * parts.length), value: '0', 'aria-label': 'How far the batch is' });
  const status = make('p', { role: 'status' });
  const alert = make('p', { class: 'alert', role: 'alert' });
  const clock = make('p', { class: 'clock' });
  const signers = make('div', { class: 'signers' });
  const rest = make('div', { class: 'signers' });
  const rows = parts.map(({ state }, index) => {
    const count = data.transactions[index]?.transfers.length ?? 0;
    return make('li', {}, `Transaction ${index + 1}: ${count === 1 ? '1 recipient' : `${count} recipients`} `, state);
  });
  const section = make(
    'section',
    { class: 'sending' },
    bar,
    status,
    clock,
    signers,
    alert,
    rest,
    make('ol', {}, ...rows),
  );
  const count = countBlocks(clock, { lastValidBlockHeight }, signal);

  const show = () => {
    const final = parts.filter(isPaid).filter(({ outcome }) => outcome?.is_final).length;
    const landed = parts.filter(isPaid).length;
    // Half of the way is to land, and half is to be final.
    bar.value = landed + final;
    const text = `${landed} of ${parts.length} landed, ${final} final.`;
    if (status.textContent !== text) status.textContent = text;
    section.dataset.final = String(final);
    for (const part of parts) part.state.textContent = stateOf(part);
    if (final === parts.length) {
      rememberBatch(undefined);
      status.textContent = 'All recipients are paid, and that is final.';
    }
    const isOver = parts.some(({ outcome }) => outcome?.is_final && outcome.outcome !== 'landed');
    if (isOver && !rest.hasChildNodes()) rest.append(makeButton('Build the rest again', 'button', again));
  };
  const send = async (/** @type {Signer} */ signer) => {
    alert.textContent = '';
    const buttons = [...signers.querySelectorAll('button')];
    for (const button of buttons) button.disabled = true;
    try {
      for (const part of parts) {
        if (signal.aborted) return;
        if (isPaid(part) || (part.isSent && !batch.isReproducible)) continue;
        tracker.onSend(known());
        await sendPart(part, signer, batch);
        tracker.onSend(known());
        show();
      }
      signers.replaceChildren();
    } catch (error) {
      if (batch.sent.length === 0) tracker.onNotSent();
      alert.textContent = error instanceof Error ? error.message : String(error);
      for (const button of buttons) button.disabled = false;
    }
  };

  const first = parts[0];
  if (first) offerSigners(signers, first.bytes, send);
  show();
  follow();
  return section;

  async function follow() {
    while (!signal.aborted) {
      const asked = parts.filter(({ outcome }) => !outcome?.is_final).slice(0, maxAsked);
      if (asked.length === 0) return;
      const height = lastValidBlockHeight === undefined ? {} : { last_valid_block_height: lastValidBlockHeight };
      const transactions = asked.map(({ bytes }) => ({ transaction: toBase64(bytes), ...height }));
      const reply = await ask('POST', '/v1/transfers/outcome', { transactions });
      if (signal.aborted) return;
      if (reply.ok) {
        for (const [index, part] of asked.entries()) part.outcome = reply.body.data[index];
        tracker.onOutcomes(parts.map(({ outcome }) => outcome));
        /** @type {TransferOutcome[]} */
        const outcomes = reply.body.data;
        const next = outcomes.find(({ outcome }) => outcome === 'pending') ?? outcomes[0];
        if (next) count(next);
        if (parts.every(isPaid)) signers.replaceChildren();
        show();
      }
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(reply, pollMs)));
    }
  }
}

/**
 * @param {string} built
 * @param {StoredBatch} batch
 * @returns {Part}
 */
function partOf(built, batch) {
  const state = make('b', {});
  return { built, bytes: bytesOf(built), outcome: undefined, isSent: batch.sent.includes(built), state };
}

/**
 * @param {Part} part
 * @param {Signer} signer
 * @param {StoredBatch} batch
 */
async function sendPart(part, signer, batch) {
  if (signer.kind === 'wallet') batch.isReproducible = false;
  if (!part.isSent) batch.sent.push(part.built);
  rememberBatch(batch);
  part.isSent = true;
  try {
    part.bytes = await signAndSend(signer, bytesOf(part.built));
  } catch (error) {
    if (isUnsent(signer, error)) {
      part.isSent = false;
      batch.sent = batch.sent.filter((each) => each !== part.built);
      rememberBatch(batch);
    }
    throw error;
  }
}

/** @param {Part} part */
function isPaid({ outcome }) {
  return outcome?.outcome === 'landed';
}

/** @param {Part} part */
function stateOf({ outcome, isSent }) {
  if (outcome && outcome.outcome !== 'pending' && outcome.outcome !== 'unknown') {
    return outcome.outcome === 'landed' && outcome.is_final ? 'final' : outcome.outcome;
  }
  return isSent ? 'sent' : 'not sent';
}
