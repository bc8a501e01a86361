import { tokens } from './amounts.js';
import { copyable, copyButton } from './copy-button.js';
import { listLinks } from './link-list.js';
import { make, makeButton, makeTerms } from './make.js';
import { counted, fullName, unitOf } from './names.js';
import { asJson, showReply } from './reply-view.js';
import { ask, pauseAfter } from './service.js';
import { warningsAround } from './transfer-view.js';

/** @import { PaymentLink } from 'splwright-client' */

const path = '/v1/payment-links';
const pollMs = 2_000;
const states = {
  open: 'Open: it can be paid.',
  paid: 'Paid.',
  expired: 'Expired: it can no longer be paid.',
  cancelled: 'Canceled.',
};

/** @type {(link: PaymentLink) => void} */
let noteLink = () => {};

/** Lists the links of the API key below the form, and shows in the list what becomes of the one that is shown. */
export function showLinks() {
  noteLink = listLinks(showLink);
}

/**
 * Shows a link with its QR code, and its state until that can no longer change.
 * @param {PaymentLink} link
 */
export function showLink(link) {
  showReply((signal) => {
    const state = make('p', { class: 'sentence', role: 'status' });
    const cancel = makeButton('Cancel the link', 'quiet', async () => {
      const reply = await ask('POST', `${path}/${link.id}/cancel`);
      if (reply.ok) show(reply.body.data);
    });
    const terms = make('div', {});
    const json = make('div', {});
    const show = (/** @type {PaymentLink} */ now) => {
      noteLink(now);
      state.textContent = now.is_final && now.state === 'paid' ? 'Paid, and final.' : states[now.state];
      state.dataset.state = now.state;
      cancel.hidden = now.state !== 'open';
      terms.replaceChildren(termsOf(now));
      json.replaceChildren(asJson(now));
    };
    show(link);
    follow(link.id, signal, show);
    return [
      state,
      ...warningsAround(code(link), link.warnings ?? []),
      make('p', { class: 'actions' }, openPage(link), copyButton('the link', link.url), cancel),
      terms,
      json,
    ];
  });
}

/** @param {PaymentLink} link */
function code({ id, label }) {
  return make('img', {
    class: 'qr',
    src: `/pay/${id}/qr.svg`,
    alt: `QR code to pay ${label}`,
    width: '220',
    height: '220',
  });
}

/** @param {PaymentLink} link */
function openPage({ id }) {
  return make(
    'a',
    { class: 'button', href: `/pay/${id}`, target: '_blank', rel: 'noopener' },
    'Open the checkout page',
  );
}

/** @param {PaymentLink} link */
function termsOf(link) {
  const { amount, amount_min: min, amount_max: max, decimals, signature, payer } = link;
  const { received_amount: received, received_amount_min: leastReceived, received_amount_max: mostReceived } = link;
  const unit = link.token_symbol ?? unitOf(link.token_mint_address);
  const range = (/** @type {string} */ least, /** @type {string} */ most) =>
    `${tokens(least, decimals)} to ${tokens(most, decimals)}`;
  const asked = amount ? tokens(amount, decimals) : range(min ?? '0', max ?? '0');
  const shown = link.ui_amount ?? (link.ui_amount_min && `${link.ui_amount_min} to ${link.ui_amount_max}`);
  const arrives = received ? tokens(received, decimals) : leastReceived && range(leastReceived, mostReceived ?? '0');
  return makeTerms([
    ['For', make('bdi', {}, link.label)],
    ['Amount', counted(asked, unit)],
    ['Token', fullName(link.token_mint_address)],
    shown ? ['Wallets show', counted(shown, unit)] : undefined,
    ['Recipient', fullName(link.to_address)],
    ['Link', make('span', { class: 'address' }, link.url)],
    ['Pay until', new Date(link.expires_at).toLocaleString()],
    payer ? ['Paid by', fullName(payer)] : undefined,
    arrives ? [payer ? 'Received' : 'Arrives', counted(arrives, unit)] : undefined,
    signature ? ['Signature', copyable('the signature', signature)] : undefined,
    ['Id', copyable('the id', link.id)],
  ]);
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {(link: PaymentLink) => void} show
 */
async function follow(id, signal, show) {
  for (;;) {
    const reply = await ask('GET', `${path}/${id}`);
    if (signal.aborted) return;
    if (reply.ok) show(reply.body.data);
    if (reply.ok && reply.body.data.is_final) return;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(reply, pollMs)));
    if (signal.aborted) return;
  }
}
