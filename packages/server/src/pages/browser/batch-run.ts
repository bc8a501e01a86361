import type { TransferOutcome } from 'splwright-client';
import { make, makeButton, setText } from './dom.ts';
import { countBlocks, type Followed, heightAfterWallet, outcomePath, provenOf, questionOf } from './outcomes.ts';
import type { Tracker } from './recent.ts';
import { ask, pauseAfter } from './service.ts';
import { isUnsent, NotAsked, offerSigners, type Signer, signAndSend } from './signing.ts';
import { fromBase64 } from './transaction-bytes.ts';

/** A batch that is under way: what it is asked for with, again and again, and what was handed to a signer. */
export interface StoredBatch {
  /** Its `Idempotency-Key`: under it nothing is paid twice. */
  key: string;
  body: Readonly<Record<string, unknown>>;
  /** The unsigned transactions that were sent or may have been, in base64. */
  sent: readonly string[];
  /** Whether signing one again makes the same transaction, as the sandbox does and wallets may not. */
  isReproducible: boolean;
}

// Not that of the tab alone: a payroll must survive the end of its browser. It has no API key in it.
const storageName = 'splwright batch';

/** The batch that is under way in this browser. */
export function recallBatch(): StoredBatch | undefined {
  try {
    return JSON.parse(localStorage.getItem(storageName) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a batch. Throws where the browser keeps nothing: without it a reload could pay twice. */
export function rememberBatch(batch: StoredBatch): void {
  localStorage.setItem(storageName, JSON.stringify(batch));
}

/** Discards a batch, unless another tab has put another one in its place. */
export function forgetBatch({ key }: StoredBatch): void {
  if (recallBatch()?.key === key) localStorage.removeItem(storageName);
}

/** Whether something of a batch may have been sent: then it is resumed or discarded before another one is built. */
export function isUnderWay(batch: StoredBatch | undefined): batch is StoredBatch {
  return batch !== undefined && batch.sent.length > 0;
}

/** One transaction of a batch. Its `bytes` are those that were sent, as far as that is known. */
interface Part extends Followed {
  /** In base64. */
  built: string;
  outcome: TransferOutcome | undefined;
  isSent: boolean;
  isWithWallet: boolean;
  state: HTMLElement;
}

/** Said before what a wallet was handed is built again. */
export const rejectFirst = 'First reject any request that is still open in your wallet.';

const pollMs = 1_500;
const maxAsked = 100;

/** A transaction of a batch that can be signed, in base64. */
export interface Sendable {
  transaction: string;
  transfers: readonly number[];
  lastValidBlockHeight: string | undefined;
}

interface BatchOptions {
  batch: StoredBatch;
  parts: readonly Sendable[];
  /** Whether these are all that is not paid yet. */
  isWhole: boolean;
  signal: AbortSignal;
  /** Builds the rest. */
  again: () => void;
  track: (transactions: readonly Followed[]) => Tracker;
}

/**
 * Signs and sends the transactions of a batch, one after the other, and shows how far it is until all of them are final.
 *
 * What is handed to a signer is kept first: after a reload it is asked for, and not signed by a wallet again.
 */
export function runBatch({ batch, parts: sendable, isWhole, signal, again, track }: BatchOptions): HTMLElement {
  const parts = sendable.map((each) => partOf(each, batch));
  const tracker = track(parts);
  const bar = make('progress', { max: String(2 * parts.length), value: '0', 'aria-label': 'How far the batch is' });
  const status = make('p', { role: 'status' });
  const alert = make('p', { class: 'alert', role: 'alert' });
  const clock = make('p', { class: 'clock' });
  const signers = make('div', { class: 'signers' });
  const rest = make('div', { class: 'signers' });
  const rows = parts.map(({ state }, index) => {
    const count = sendable[index]?.transfers.length ?? 0;
    return make('li', {}, `Transaction ${index + 1}: ${count === 1 ? '1 recipient' : `${count} recipients`} `, state);
  });
  const list = make('ol', {}, ...rows);
  const section = make('section', { class: 'sending' }, bar, status, clock, signers, alert, rest, list);
  const count = countBlocks(clock, { lastValidBlockHeight: sendable.at(-1)?.lastValidBlockHeight }, signal);

  const show = () => {
    const final = parts.filter(isPaid).filter(({ outcome }) => outcome?.is_final).length;
    const landed = parts.filter(isPaid).length;
    // Half of the way is to land, and half is to be final.
    bar.value = landed + final;
    const isDone = final === parts.length;
    if (isDone && isWhole) forgetBatch(batch);
    const progress = `${landed} of ${parts.length} landed, ${final} final.`;
    setText(status, isDone ? `All ${isWhole ? 'recipients' : 'of these'} are paid. This is final.` : progress);
    for (const part of parts) part.state.textContent = stateOf(part);
    const isOver = parts.some(({ outcome }) => outcome?.is_final && outcome.outcome !== 'landed');
    // What a wallet has sent, or may still send, must be certain: the rest would pay it a second time.
    const isOpen = (part: Part) => part.isSent && !isPaid(part) && !part.outcome?.is_final;
    const isUncertain = !batch.isReproducible && parts.some(isOpen);
    rest.hidden = !isOver || isUncertain;
    if (rest.hidden || rest.hasChildNodes()) return;
    if (!batch.isReproducible) rest.append(make('p', {}, rejectFirst));
    rest.append(makeButton('Rebuild the rest', 'button', again));
  };
  const send = async (signer: Signer) => {
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
  function settleWallet(part: Part): void {
    part.isWithWallet &&= part.isSent;
    if (part.isSent) tracker.onSend(parts, part.isWithWallet);
    if (!part.isWithWallet) return;
    heightAfterWallet(part).then((height) => {
      part.lastValidBlockHeight = height;
      part.isWithWallet = false;
      const isAnyWithWallet = parts.some((each) => each.isWithWallet);
      // Another run of this batch tracks it by now.
      if (!signal.aborted) tracker.onSend(parts, isAnyWithWallet);
    });
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const asked = parts.filter(({ outcome }) => !outcome?.is_final).slice(0, maxAsked);
      if (asked.length === 0) return;
      const transactions = asked.map(questionOf);
      const reply = await ask<{ data: readonly TransferOutcome[] }>('POST', outcomePath, { transactions });
      if (signal.aborted) return;
      if (reply.ok) {
        for (const [index, part] of asked.entries()) {
          const outcome = reply.body.data[index];
          if (outcome) part.outcome = provenOf(part, outcome);
        }
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

function partOf({ transaction: built, lastValidBlockHeight }: Sendable, batch: StoredBatch): Part {
  const isSent = batch.sent.includes(built);
  const bytes = fromBase64(built);
  return { built, bytes, lastValidBlockHeight, outcome: undefined, isSent, isWithWallet: false, state: make('b', {}) };
}

/** Keeps that a part is handed to a signer. Throws a `NotAsked` where another tab has another batch under way, or its wallet has this part. */
function noteHandedOut(part: Part, batch: StoredBatch): void {
  const stored = recallBatch();
  const known = stored?.key === batch.key ? stored : batch;
  if (known !== stored && isUnderWay(stored)) {
    throw new NotAsked(
      'Another batch is under way in this browser. Resume or discard it in a new tab before you send this one.',
    );
  }
  batch.isReproducible &&= known.isReproducible;
  const isElsewhere = !part.isSent && !batch.isReproducible && known.sent.includes(part.built);
  batch.sent = [...new Set([...batch.sent, ...known.sent, part.built])];
  rememberBatch(batch);
  part.isSent = true;
  if (isElsewhere) {
    throw new NotAsked(
      'Another tab has handed this transaction to a wallet. Go on there; or close that tab, and sign the next one here.',
    );
  }
}

async function sendPart(part: Part, signer: Signer, batch: StoredBatch): Promise<void> {
  if (signer.kind === 'wallet') batch.isReproducible = false;
  noteHandedOut(part, batch);
  try {
    part.bytes = await signAndSend(signer, fromBase64(part.built));
  } catch (error) {
    if (isUnsent(signer, error)) {
      part.isSent = false;
      batch.sent = batch.sent.filter((each) => each !== part.built);
      rememberBatch(batch);
    }
    throw error;
  }
}

function isPaid({ outcome }: Part): boolean {
  return outcome?.outcome === 'landed';
}

function stateOf({ outcome, isSent }: Part): string {
  if (outcome && outcome.outcome !== 'pending' && outcome.outcome !== 'unknown') {
    return outcome.outcome === 'landed' && outcome.is_final ? 'final' : outcome.outcome;
  }
  return isSent ? 'sent' : 'not sent';
}
