import { tokens } from './amounts.js';
import { makeButton } from './make.js';
import { counted, shortName, unitOf } from './names.js';
import { makeRecords } from './records.js';
import { ask } from './service.js';

/** @import { PaymentLink } from 'splwright-client' */

const path = '/v1/payment-links';
const pageSize = 10;
const tones = { open: 'still', paid: 'good', expired: 'bad', cancelled: 'bad' };
const words = { open: 'open', paid: 'paid', expired: 'expired', cancelled: 'canceled' };

/**
 * Shows the links of the API key below the form, the newest first.
 * @param {(link: PaymentLink) => void} showLink
 * @returns {(link: PaymentLink) => void} takes a link that was made or has changed
 */
export function listLinks(showLink) {
  /** @type {PaymentLink[]} */
  let links = [];
  /** @type {string | undefined} */
  let cursor;
  const more = makeButton('Show older links', 'quiet', () => load());
  const empty = 'The links of the API key are listed here.';
  const list = makeRecords({ id: 'links-title', title: 'Links', empty, buttons: [more] });
  const show = () => {
    more.hidden = cursor === undefined;
    list.show(links.map((link) => ({ ...rowOf(link), onClick: () => showLink(link) })));
  };
  const load = async (isFirst = false) => {
    const after = cursor && !isFirst ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const reply = await ask('GET', `${path}?limit=${pageSize}${after}`);
    if (isFirst) links = [];
    const { data = [], next_cursor: next } = reply.ok ? reply.body : {};
    links = [...links, ...data.filter((/** @type {PaymentLink} */ { id }) => links.every((link) => link.id !== id))];
    cursor = next;
    list.none.textContent = reply.ok ? 'No links yet.' : (reply.body.detail ?? empty);
    show();
  };
  show();
  load(true);
  // Another key has other links.
  document.getElementById('api-key')?.addEventListener('change', () => load(true));
  return (link) => {
    const index = links.findIndex(({ id }) => id === link.id);
    if (JSON.stringify(links[index]) === JSON.stringify(link)) return;
    links = index < 0 ? [link, ...links] : links.with(index, link);
    show();
  };
}

/** @param {PaymentLink} link */
function rowOf(link) {
  const { id, label, state, is_final: isFinal, created_at: at, payer, payments } = link;
  const count = payments.filter(({ counts }) => counts).length;
  const paid = payer ? ` · paid by ${shortName(payer)}` : '';
  const several = !link.single_use && count > 0 ? ` · ${count === 1 ? '1 payment' : `${count} payments`}` : '';
  return {
    id,
    title: amountOf(link),
    state: state === 'paid' && !isFinal ? 'paid, not final' : words[state],
    tone: tones[state],
    detail: `${label}${paid}${several}`,
    at,
  };
}

/** @param {PaymentLink} link */
function amountOf({
  amount,
  amount_min: min,
  amount_max: max,
  decimals,
  token_symbol: symbol,
  token_mint_address: mint,
}) {
  const unit = symbol ?? unitOf(mint);
  if (amount) return counted(tokens(amount, decimals), unit);
  return counted(`${tokens(min ?? '0', decimals)} to ${tokens(max ?? '0', decimals)}`, unit);
}
