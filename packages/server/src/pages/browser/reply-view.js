import { balanceTable } from './balance-table.js';
import { copyButton } from './copy-button.js';
import { make, makeTerms } from './make.js';
import { counted, shortName, unitOf, withNames } from './names.js';
import { find } from './page.js';
import { trackSending } from './recent.js';
import { sendingOf } from './sending.js';
import { toBase64 } from './transaction-bytes.js';
import { describeTransfer } from './transfer-view.js';

/** @import { VerificationError } from 'splwright-client/verify' */
/** @import { ServiceReply } from './service.js' */
/** @import { Summary, TransferOutcome } from 'splwright-client' */

/** @type {AbortController | undefined} */
let shown;
/** What stands in the place of a reply while there is none. */
const example = [...(find('reply')?.childNodes ?? [])];

/**
 * Shows a reply in place of the last one, whose signal is aborted.
 * @param {(signal: AbortSignal) => Node[]} makeNodes
 */
export function showReply(makeNodes) {
  shown?.abort();
  shown = new AbortController();
  const place = find('reply');
  place?.replaceChildren(...makeNodes(shown.signal));
  place?.focus({ preventScroll: true });
  // On a phone the reply is below the form.
  place?.scrollIntoView({ block: 'nearest' });
}

/** Shows the example in place of the last reply, whose signal is aborted. */
export function clearReply() {
  shown?.abort();
  find('reply')?.replaceChildren(...example);
}

/**
 * Shows a transfer: in words, its state, and the JSON. What differs from the request is shown as that, and cannot be signed.
 * @param {ServiceReply} reply
 * @param {Record<string, unknown>} request as it was posted
 * @param {string} path that it was posted to
 */
export async function showTransfer(reply, request, path) {
  const { verifyTransferReply } = await import('./verification.js');
  const { verified, difference } = await verifyTransferReply(request, reply, path);
  const { body, headers } = reply;
  if (difference) return showDifference(difference, body);
  const bytes = verified.transaction;
  const lastValidBlockHeight = headers.get('solana-last-valid-block-height') ?? undefined;
  /** @type {Summary | undefined} */
  const summary = body.data.summary ?? body.summary;
  const unit = unitOf(String(request.token_mint_address));
  const words = summary
    ? describeTransfer(summary, unit)
    : [make('p', { class: 'sentence' }, 'The transaction is built. With the option summary it is put into words.')];
  const followed = { bytes, lastValidBlockHeight };
  const balances = summary && balanceTable(holdersOf(summary), { decimals: summary.decimals, unit });
  const text = summary ? nameOf(summary, unit) : 'A transfer without summary';
  const tracker = trackSending({ kind: 'transfer', text }, [followed]);
  const onOutcomes = (/** @type {(TransferOutcome | undefined)[]} */ outcomes) => {
    tracker.onOutcomes(outcomes);
    if (outcomes[0]?.outcome === 'landed') balances?.showAfter();
  };
  const [sentence, ...others] = words;
  showReply((signal) => [
    ...(sentence ? [sentence] : []),
    ...(balances ? [balances.element] : []),
    ...others,
    describeVerified(verified),
    sendingOf(followed, signal, { ...tracker, onOutcomes }),
    make('p', { class: 'actions' }, copyButton('the transaction', toBase64(bytes))),
    asBytes(bytes),
    asJson(body),
  ]);
}

/** @param {Summary} summary */
function holdersOf({ sender, sender_token_account: senders, recipient, recipient_token_account: recipients, splits }) {
  return [
    { owner: sender, tokenAccount: senders },
    { owner: recipient, tokenAccount: recipients },
    ...splits.map((split) => ({ owner: split.recipient, tokenAccount: split.recipient_token_account })),
  ];
}

/**
 * What a list calls a transfer.
 * @param {Summary} summary
 * @param {string} unit
 */
function nameOf({ sender, recipient, amount, splits }, unit) {
  const others = splits.length > 0 ? ` and ${splits.length} more` : '';
  return `${counted(amount.decimal, unit)} from ${shortName(sender)} to ${shortName(recipient)}${others}`;
}

/**
 * What transactions do, as this browser has read it from their bytes.
 * @param {{ sentence: string }} verified
 */
export function describeVerified({ sentence }) {
  return make('p', { class: 'hint verified' }, `Verified in this browser: ${withNames(sentence)}.`);
}

/**
 * Shows a reply whose transactions do anything but what was asked for, without a way to sign them.
 * @param {VerificationError} difference
 * @param {unknown} body
 */
export function showDifference({ code, part, expected, actual }, body) {
  const title = 'Do not sign this: the transaction does not do what you asked for.';
  const text = 'This browser has compared its bytes with your request. No wallet was asked to sign it.';
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

/**
 * The bytes of a transaction, each with what it means. What words them is loaded when they are wanted.
 * @param {Uint8Array} bytes
 */
export function asBytes(bytes) {
  const place = make('div', {});
  const title = make('summary', {}, `The ${bytes.length} bytes, one by one`);
  const details = make('details', { class: 'json' }, title, place);
  details.addEventListener('toggle', async () => {
    if (!details.open || place.hasChildNodes()) return;
    const { renderBytes } = await import('./bytes-view.js');
    renderBytes(place, bytes);
  });
  return details;
}

/**
 * The whole reply, for developers.
 * @param {unknown} body
 */
export function asJson(body) {
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The reply as JSON' }, jsonText(body));
  return make('details', { class: 'json' }, make('summary', {}, 'Reply as JSON'), pre);
}

// What cannot be seen, or reorders what can: control, format and private characters, half pairs, separators but the space.
const hidden = /(?!\n)[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/**
 * A value as JSON for people: bytes in one line, and characters that hide as `\uXXXX`.
 * @param {unknown} value
 */
export function jsonText(value) {
  const escaped = (/** @type {string} */ unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, undefined, 2)
    .replaceAll(/\[\s+(\d+(?:,\s+\d+)*)\s+\]/g, (list) => list.replaceAll(/\s+/g, ''))
    .replaceAll(hidden, (character) => character.split('').map(escaped).join(''));
}
