import { make } from './make.js';
import { unitOf } from './names.js';
import { find } from './page.js';
import { sendingOf } from './sending.js';
import { bytesOf } from './transaction-bytes.js';
import { describeTransfer } from './transfer-view.js';

/** @import { ServiceReply } from './service.js' */
/** @import { Summary } from 'splwright-client' */

/** @type {AbortController | undefined} */
let shown;

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

/** Removes the last reply from the page, and aborts its signal. */
export function clearReply() {
  shown?.abort();
  find('reply')?.replaceChildren(make('p', { class: 'hint' }, 'Nothing to show.'));
}

/**
 * Shows a transfer: in words, its state, and the JSON.
 * @param {ServiceReply} reply
 * @param {Record<string, unknown>} request
 */
export function showTransfer({ body, headers }, request) {
  const { data } = body;
  const bytes = bytesOf(data.transaction ?? data, request.encoding);
  const lastValidBlockHeight = headers.get('solana-last-valid-block-height') ?? undefined;
  /** @type {Summary | undefined} */
  const summary = data.summary ?? body.summary;
  const words = summary
    ? describeTransfer(summary, unitOf(String(request.token_mint_address)))
    : [make('p', { class: 'sentence' }, 'The transaction is built. With the option summary it is put into words.')];
  showReply((signal) => [...words, sendingOf({ bytes, lastValidBlockHeight }, signal), asBytes(bytes), asJson(body)]);
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
