import { make, makeButton } from './make.js';
import { countBlocks, heightAfterWallet, provenOf, questionOf } from './outcomes.js';
import { offerSigners } from './sending.js';
import { ask, pauseAfter } from './service.js';
import { isUnsent, signAndSend } from './signing.js';
import { bytesOf } from './transaction-bytes.js';

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
 * @property {boolean} isWithWallet whether a wallet was asked and has not answered, see `Followed`
 * @property {string | undefined} lastValidBlockHeight
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
  const lastValidBlockHeight = data.lifetime.last_valid_block_height;
  const parts = data.transactions.map((each) => partOf(each.transaction, lastValidBlockHeight, batch));
  const tracker = track(parts);
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
    // What a wallet has sent, or may still send, must be certain: the rest would pay it a second time.
    const isOpen = (/** @type {Part} */ part) => part.isSent && !isPaid(part) && !part.outcome?.is_final;
    const isUncertain = !batch.isReproducible && parts.some(isOpen);
    rest.hidden = !isOver || isUncertain;
    if (rest.hidden || rest.hasChildNodes()) return;
    if (!batch.isReproducible) rest.append(make('p', {}, 'First reject what your wallet may still ask for.'));
    rest.append(makeButton('Build the rest again', 'button', again));
  };
  const send = async (/** @type {Signer} */ signer) => {
    alert.textContent = '';
    const buttons = [...signers.querySelectorAll('button')];
    for (const button of buttons) button.disabled = true;
    try {
      for (const part of parts) {
        if (signal.aborted) return;
        if (isPaid(part) || part.outcome?.is_final || (part.isSent && !batch.isReproducible)) continue;
        part.isWithWallet = signer.kind === 'wallet';
        tracker.onSend(parts, part.isWithWallet);
        const sending = sendPart(part, signer, batch);
        show();
        await sending.finally(() => settleWallet(part));
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

  /** Notes what was sent, and once that is known, how long what a wallet has sent can land. */
  function settleWallet(/** @type {Part} */ part) {
    part.isWithWallet &&= part.isSent;
    if (part.isSent) tracker.onSend(parts, part.isWithWallet);
    if (!part.isWithWallet) return;
    heightAfterWallet(part, signal).then((height) => {
      part.lastValidBlockHeight = height;
      part.isWithWallet = false;
      if (!signal.aborted)
        tracker.onSend(
          parts,
          parts.some((each) => each.isWithWallet),
        );
    });
  }

  async function follow() {
    while (!signal.aborted) {
      const asked = parts.filter(({ outcome }) => !outcome?.is_final).slice(0, maxAsked);
      if (asked.length === 0) return;
      const transactions = asked.map(questionOf);
      const reply = await ask('POST', '/v1/transfers/outcome', { transactions });
      if (signal.aborted) return;
      if (reply.ok) {
        for (const [index, part] of asked.entries()) part.outcome = provenOf(part, reply.body.data[index]);
        tracker.onOutcomes(parts.map(({ outcome }) => outcome));
        const outcomes = asked.flatMap(({ outcome }) => outcome ?? []);
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
 * @param {string | undefined} lastValidBlockHeight
 * @param {StoredBatch} batch
 * @returns {Part}
 */
function partOf(built, lastValidBlockHeight, batch) {
  const isSent = batch.sent.includes(built);
  const bytes = bytesOf(built);
  return { built, bytes, lastValidBlockHeight, outcome: undefined, isSent, isWithWallet: false, state: make('b', {}) };
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
