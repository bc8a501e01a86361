import type { Summary, TransferOutcome } from 'splwright-client';
import type { VerificationError } from 'splwright-client/verify';
import { balanceTable } from './balances.ts';
import { copyable, copyButton, find, make, makeTerms } from './dom.ts';
import { counted, shortName, unitOf, withNames } from './names.ts';
import { trackSending } from './recent.ts';
import { showRefusal } from './refusals.ts';
import { sendingOf } from './sending.ts';
import { ask } from './service.ts';
import { toBase64 } from './transaction-bytes.ts';
import { describeTransfer, transferTerms, warningsAround } from './transfer-view.ts';

let shown: AbortController | undefined;
/** Stands in the place of a reply while there is none. */
const noReply = [...(find('reply')?.childNodes ?? [])];

/** Shows a reply in place of the last one, whose signal is aborted. */
export function showReply(makeNodes: (signal: AbortSignal) => readonly (Node | undefined)[]): void {
  shown?.abort();
  shown = new AbortController();
  const place = find('reply');
  place?.replaceChildren(...makeNodes(shown.signal).filter((node) => node !== undefined));
  place?.focus({ preventScroll: true });
  // On a phone the reply is below the form. Its end may be below the page: what is signed stands at its beginning.
  const top = place?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > window.innerHeight / 2) place?.scrollIntoView();
}

/** Tells later whether the reply of now is still shown. */
export function replyNow(): () => boolean {
  const now = shown;
  return () => shown === now;
}

/** Takes the last reply away. Its signal is aborted. */
export function clearReply(): void {
  shown?.abort();
  find('reply')?.replaceChildren(...noReply);
}

/** Asks the service, and shows its refusal if it refuses: then there is no reply. */
export async function askOrShowRefusal<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
  const reply = await ask<Body>(method, path, body);
  if (reply.ok) return reply;
  clearReply();
  showRefusal(reply);
  return undefined;
}

/** The reply to a request for one transaction: the older operations have the summary beside the data. */
interface TransferReply {
  data: { summary?: Summary };
  summary?: Summary;
}

/**
 * Asks for a transfer, and shows it in words, its state, and the JSON. What differs from the request is shown as that, and cannot
 * be signed.
 */
export async function buildTransfer(path: string, request: Readonly<Record<string, unknown>>): Promise<void> {
  const reply = await askOrShowRefusal<TransferReply>('POST', path, request);
  if (!reply) return;
  const { body, headers } = reply;
  const { verifyTransferReply } = await import('./verification.ts');
  const { verified, difference } = await verifyTransferReply(request, reply, path);
  if (difference) return showDifference(difference, body);
  const bytes = verified.transaction;
  const followed = { bytes, lastValidBlockHeight: headers.get('solana-last-valid-block-height') ?? undefined };
  const summary = body.data.summary ?? body.summary;
  const mint = String(request.token_mint_address);
  const unit = unitOf(mint, summary?.token_symbol);
  const balances = summary && balanceTable(holdersOf(summary), mint);
  const text = summary ? nameOf(summary, unit) : 'A transfer without summary';
  const tracker = trackSending({ text }, [followed]);
  const onOutcomes = (outcomes: readonly (TransferOutcome | undefined)[]) => {
    tracker.onOutcomes(outcomes);
    if (outcomes[0]?.outcome === 'landed') balances?.showAfter();
  };
  const unread = 'The transaction is built. Turn on the option summary to see it in words.';
  showReply((signal) => [
    summary ? describeTransfer(summary, unit) : make('p', { class: 'sentence' }, unread),
    ...warningsAround(
      [
        sendingOf(followed, signal, { ...tracker, onOutcomes }),
        ...(summary && balances ? [balances.element, transferTerms(summary, mint, unit)] : []),
      ],
      summary?.warnings ?? [],
    ),
    describeVerified(verified.sentence, [verified]),
    make(
      'p',
      { class: 'actions' },
      copyButton('the transaction', () => toBase64(bytes)),
    ),
    asBytes(bytes),
    asJson(body),
  ]);
}

function holdersOf({ sender, recipient, splits }: Summary): readonly string[] {
  return [sender, recipient, ...splits.map((split) => split.recipient)];
}

/** The title of a transfer in a list. */
function nameOf({ sender, recipient, amount, splits }: Summary, unit: string): string {
  const others = splits.length > 0 ? ` and ${splits.length} more` : '';
  return `${counted(amount.decimal, unit)} from ${shortName(sender)} to ${shortName(recipient)}${others}`;
}

/** The effects of transactions, as this browser has read them from their bytes. */
export function describeVerified(sentence: string, transactions: readonly { messageHash: string }[]): HTMLElement {
  const items = transactions.map(({ messageHash }) => make('li', {}, copyable('the message hash', messageHash)));
  return make(
    'div',
    { class: 'hint' },
    make('p', {}, `Verified in this browser: ${withNames(sentence)}.`),
    make(
      'details',
      {},
      make('summary', {}, 'The message hash, as a hardware wallet shows it'),
      make('ol', {}, ...items),
    ),
  );
}

/** Shows a reply whose transactions do anything but what was asked for, without a way to sign them. */
export function showDifference({ code, part, expected, actual }: VerificationError, body: unknown): void {
  const title = 'Do not sign this: the transaction does not do what you asked for.';
  const text = 'This browser compared its bytes with your request. No wallet was asked to sign it.';
  showReply(() => [
    make('div', { class: 'alert', role: 'alert' }, make('p', { class: 'sentence' }, title), make('p', {}, text)),
    makeTerms([
      ['Code', code],
      ['Where', part],
      ['Expected', make('bdi', {}, expected)],
      ['Found', make('bdi', {}, actual)],
    ]),
    asJson(body),
  ]);
}

/** The bytes of a transaction, each with what it means. What words them is loaded when they are wanted. */
function asBytes(bytes: Uint8Array): HTMLElement {
  const place = make('div', {});
  const title = make('summary', {}, `The ${bytes.length} bytes, explained`);
  const details = make('details', {}, title, place);
  details.addEventListener('toggle', async () => {
    if (!details.open || place.hasChildNodes()) return;
    const { renderBytes } = await import('./bytes-view.ts');
    renderBytes(place, bytes);
  });
  return details;
}

/** The whole reply, for developers. */
export function asJson(body: unknown): HTMLElement {
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The reply as JSON' }, jsonText(body));
  return make('details', {}, make('summary', {}, 'Reply as JSON'), pre);
}

// What cannot be seen, or reorders what can: control, format and private characters, half pairs, separators but the space.
const hidden = /(?!\n)[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** A value as JSON for people: bytes in one line, and characters that hide as `\uXXXX`. */
export function jsonText(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, undefined, 2)
    .replaceAll(/\[\s+(\d+(?:,\s+\d+)*)\s+\]/g, (list) => list.replaceAll(/\s+/g, ''))
    .replaceAll(hidden, (character) => character.split('').map(escaped).join(''));
}
