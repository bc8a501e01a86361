import type { TransferOutcome } from 'splwright-client';
import { copyable, make, setText } from './dom.ts';
import { countBlocks, type Followed, followOutcome, heightAfterWallet } from './outcomes.ts';
import type { Tracker } from './recent.ts';
import { isUnsent, offerSigners, type Signer, signAndSend } from './signing.ts';

// Between the last two is `Confirmed`, once it is seen: where confirming and finalizing are one, it never comes.
const steps = ['Built', 'Sent', 'Final'];
// A transaction that was not sent is asked for only because of the countdown.
const unsentPauseMs = 3_000;
const sentPauseMs = 1_000;

/** Offers to sign and send a transaction, and shows its state until it is final. */
export function sendingOf(built: Followed, signal: AbortSignal, tracker: Tracker): HTMLElement {
  const states = make('ol', { class: 'steps' }, ...steps.map((step) => make('li', {}, step)));
  const status = make('p', { class: 'status', role: 'status' });
  const alert = make('p', { class: 'alert', role: 'alert' });
  const clock = make('p', { class: 'clock' });
  const signers = make('div', { class: 'signers' });
  const section = make('section', { class: 'sending' }, states, clock, signers, status, alert);
  let following: AbortController | undefined;

  const showStep = (step: string) => {
    section.dataset.step = step.toLowerCase();
    const items = [...states.children];
    if (step === 'Confirmed' && items.length === steps.length) items.splice(-1, 0, make('li', {}, step));
    const done = items.findIndex(({ textContent }) => textContent === step);
    for (const [index, item] of items.entries()) item.toggleAttribute('data-done', index <= done);
    states.replaceChildren(...items);
  };
  const follow = (followed: Followed, pauseMs: number) => {
    following?.abort();
    following = new AbortController();
    const own = AbortSignal.any([signal, following.signal]);
    const count = countBlocks(clock, followed, own);
    followOutcome(followed, own, (outcome) => showOutcome(outcome, count), pauseMs);
  };
  const showOutcome = (outcome: TransferOutcome, count: (outcome: TransferOutcome) => void) => {
    count(outcome);
    tracker.onOutcomes([outcome]);
    const { outcome: name, is_final: isFinal, signature } = outcome;
    const reason = name === 'landed' ? describeLanded(outcome) : outcome.reason;
    section.dataset.outcome = name;
    const isSeen = name === 'landed' || name === 'failed';
    if (isSeen) showStep(isFinal ? 'Final' : 'Confirmed');
    if (name === 'landed' || isFinal) signers.replaceChildren();
    if (isSeen || isFinal || section.dataset.step === 'sent') setText(status, reason);
    if (signature && !section.querySelector('.signature')) {
      status.after(make('p', { class: 'signature' }, copyable('the signature', signature)));
    }
  };
  const send = async (signer: Signer) => {
    alert.textContent = '';
    for (const button of signers.querySelectorAll('button')) button.disabled = true;
    setText(status, signer.waitingFor);
    built.isWithWallet = signer.kind === 'wallet';
    tracker.onSend([built], built.isWithWallet);
    let { bytes } = built;
    try {
      bytes = await signAndSend(signer, bytes);
      showStep('Sent');
      setText(status, 'Sent. Waiting for the network to confirm it.');
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
      if (isUnsent(signer, error)) {
        built.isWithWallet = false;
        tracker.onNotSent();
        setText(status, '');
        for (const button of signers.querySelectorAll('button')) button.disabled = false;
        return;
      }
      setText(status, 'It may have been sent. Do not pay again before that is certain; this page waits for it.');
    }
    signers.replaceChildren();
    const height = built.isWithWallet ? await heightAfterWallet(built) : built.lastValidBlockHeight;
    if (section.dataset.step === 'final') return;
    const sent = { ...built, bytes, lastValidBlockHeight: height, isWithWallet: false };
    tracker.onSend([sent]);
    if (!signal.aborted) follow(sent, sentPauseMs);
  };

  showStep('Built');
  offerSigners(signers, built.bytes, send);
  follow(built, unsentPauseMs);
  return section;
}

function describeLanded({ is_final: isFinal, slot }: TransferOutcome): string {
  return isFinal ? `It landed in slot ${slot} and is final.` : `It landed in slot ${slot}. Final in a few seconds.`;
}
