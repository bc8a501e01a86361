import { make, makeTerms } from './make.js';
import { unitOf, withNames } from './names.js';
import { find } from './page.js';
import { sendingOf } from './sending.js';
import { describeTransfer } from './transfer-view.js';

/** @import { VerificationError } from 'splwright-client/verify' */
/** @import { ServiceReply } from './service.js' */
/** @import { Summary } from 'splwright-client' */

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
  const words = summary
    ? describeTransfer(summary, unitOf(String(request.token_mint_address)))
    : [make('p', { class: 'sentence' }, 'The transaction is built. With the option summary it is put into words.')];
  showReply((signal) => [
    ...words,
    describeVerified(verified),
    sendingOf({ bytes, lastValidBlockHeight }, signal),
    asBytes(bytes),
    asJson(body),
  ]);
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
  const text = JSON.stringify(body, undefined, 2).replaceAll(/\[\s+(\d+(?:,\s+\d+)*)\s+\]/g, (list) =>
    list.replaceAll(/\s+/g, ''),
  );
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The reply as JSON' }, text);
  return make('details', { class: 'json' }, make('summary', {}, 'Reply as JSON'), pre);
}
