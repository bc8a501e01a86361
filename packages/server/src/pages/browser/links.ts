import type { PaymentLink } from 'splwright-client';
import { copyable, copyButton, make, makeButton, makeTerms, setText } from './dom.ts';
import { counted, fullName, shortName, tokens, unitOf } from './names.ts';
import { makeRecords, type RecordRow, timeText } from './records.ts';
import { asJson, askOrShowRefusal, showReply } from './reply-view.ts';
import { ask, onOtherApiKey, pauseAfter } from './service.ts';
import { warningsAround } from './transfer-view.ts';

const linksPath = '/v1/payment-links';
const pageSize = 10;
const pollMs = 2_000;

/** Of each state of a link: its name in the list, its color, and a sentence about it. */
const states = {
  open: { word: 'open', tone: 'still', text: 'Open: it can be paid.' },
  paid: { word: 'paid', tone: 'good', text: 'Paid.' },
  expired: { word: 'expired', tone: 'bad', text: 'Expired: it can no longer be paid.' },
  cancelled: { word: 'canceled', tone: 'bad', text: 'Canceled.' },
} as const;

/** Takes a link that was made or has changed into the list. */
let noteLink: (link: PaymentLink) => void = () => {};

/** Lists the links of the API key below the form, the newest first. */
export function showLinks(): void {
  let links: readonly PaymentLink[] = [];
  let cursor: string | undefined;
  const more = makeButton('Show older links', 'quiet', () => load());
  const empty = 'Links made with your API key appear here.';
  const list = makeRecords({ id: 'links-title', title: 'Links', empty, button: more });
  const show = () => {
    more.hidden = cursor === undefined;
    list.show(links.map(rowOf));
  };
  const load = async (isFirst = false) => {
    const after = cursor && !isFirst ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const reply = await ask<{ data: readonly PaymentLink[]; next_cursor?: string }>(
      'GET',
      `${linksPath}?limit=${pageSize}${after}`,
    );
    if (isFirst) links = [];
    const data = reply.ok ? reply.body.data : [];
    links = [...links, ...data.filter(({ id }) => links.every((link) => link.id !== id))];
    cursor = reply.ok ? reply.body.next_cursor : undefined;
    list.none.textContent = reply.ok ? 'No links yet.' : (reply.body.detail ?? empty);
    show();
  };
  noteLink = (link) => {
    const index = links.findIndex(({ id }) => id === link.id);
    if (JSON.stringify(links[index]) === JSON.stringify(link)) return;
    links = index < 0 ? [link, ...links] : links.with(index, link);
    show();
  };
  show();
  load(true);
  onOtherApiKey(() => load(true));
}

function rowOf(link: PaymentLink): RecordRow {
  const { id, label, state, is_final: isFinal, created_at: at, payer, payments } = link;
  const count = payments.filter(({ counts }) => counts).length;
  const paid = payer ? ` · paid by ${shortName(payer)}` : '';
  const several = !link.single_use && count > 0 ? ` · ${count === 1 ? '1 payment' : `${count} payments`}` : '';
  return {
    id,
    title: askedOf(link),
    state: state === 'paid' && !isFinal ? 'paid, not final' : states[state].word,
    tone: states[state].tone,
    detail: `${label}${paid}${several}`,
    at,
    onClick: () => showLink(link),
  };
}

/** Makes a link, and shows it. */
export async function makeLink(path: string, body: unknown): Promise<void> {
  const reply = await askOrShowRefusal<{ data: PaymentLink }>('POST', path, body);
  if (reply) showLink(reply.body.data);
}

/** Shows a link with its QR code, and its state until that can no longer change. */
function showLink(link: PaymentLink): void {
  const state = make('p', { class: 'sentence', role: 'status' });
  const cancel = makeButton('Cancel the link', 'quiet', async () => {
    // Once: the second press cancels it.
    if (!cancel.matches('[data-asked]')) {
      cancel.dataset.asked = 'yes';
      setText(cancel, 'Cancel it for good? Nobody can pay it then.');
      return;
    }
    const reply = await ask<{ data: PaymentLink }>('POST', `${linksPath}/${link.id}/cancel`);
    if (reply.ok) show(reply.body.data);
  });
  const [terms, json] = [make('div', {}), make('div', {})];
  const path = `/pay/${link.id}`;
  const picture = { class: 'qr', src: `${path}/qr.svg`, alt: `QR code to pay ${link.label}` };
  const code = make('img', { ...picture, width: '220', height: '220' });
  const show = (now: PaymentLink) => {
    noteLink(now);
    state.textContent = now.is_final && now.state === 'paid' ? 'Paid. This is final.' : states[now.state].text;
    code.hidden = cancel.hidden = now.state !== 'open';
    terms.replaceChildren(termsOf(now));
    json.replaceChildren(asJson(now));
  };
  const page = { class: 'button', href: path, target: '_blank', rel: 'noopener' };
  const copy = copyButton('the link', () => link.url);
  showReply((signal) => {
    show(link);
    follow(link.id, signal, show);
    return [
      state,
      ...warningsAround([code], link.warnings ?? []),
      make('p', { class: 'actions' }, make('a', page, 'Open the checkout page'), copy, cancel),
      terms,
      json,
    ];
  });
}

function termsOf(link: PaymentLink): HTMLElement {
  const { signature, payer, received_amount: received, received_amount_min: leastReceived } = link;
  const unit = unitOfLink(link);
  const shown = link.ui_amount ?? (link.ui_amount_min && `${link.ui_amount_min} to ${link.ui_amount_max}`);
  const arrives = received ?? leastReceived;
  return makeTerms([
    ['Who is paid', make('bdi', {}, link.label)],
    ['Amount', askedOf(link)],
    ['Token', make('span', { class: 'lines' }, ...askedIn(link).map((each) => fullName(each.token_mint_address)))],
    shown ? ['Wallets show', counted(shown, unit)] : undefined,
    ['Recipient', fullName(link.to_address)],
    ['Link', make('span', { class: 'address' }, link.url)],
    link.state === 'open' || link.state === 'expired'
      ? [link.state === 'open' ? 'Pay until' : 'Expired', timeText(link.expires_at)]
      : undefined,
    payer ? ['Paid by', fullName(payer)] : undefined,
    arrives ? [payer ? 'Received' : 'Arrives', range(link, arrives, received ?? link.received_amount_max)] : undefined,
    signature ? ['Signature', copyable('the signature', signature)] : undefined,
    ['ID', copyable('the ID', link.id)],
  ]);
}

/** The amount that a link asks for: of several tokens the payer chooses one. */
function askedOf(link: PaymentLink): string {
  const ranges = askedIn(link).map((each) =>
    range(each, each.amount ?? each.amount_min ?? '0', each.amount ?? each.amount_max),
  );
  return ranges.join(' or ');
}

/** The tokens that a link asks for. Once it is paid, the one that was paid. */
function askedIn(link: PaymentLink): readonly Asked[] {
  return link.state === 'paid' ? [link] : (link.accepts ?? [link]);
}

type Asked = NonNullable<PaymentLink['accepts']>[number];

/** One amount, or the least and the most of a range, in base units. */
function range(link: Asked, least: string, most = '0'): string {
  const [from, to] = [tokens(least, link.decimals), tokens(most, link.decimals)];
  return counted(from === to ? from : `${from} to ${to}`, unitOfLink(link));
}

function unitOfLink({ token_symbol: symbol, token_mint_address: mint }: Asked): string {
  return unitOf(mint, symbol);
}

async function follow(id: string, signal: AbortSignal, show: (link: PaymentLink) => void): Promise<void> {
  while (!signal.aborted) {
    const reply = await ask<{ data: PaymentLink }>('GET', `${linksPath}/${id}`);
    if (signal.aborted) return;
    if (reply.ok) show(reply.body.data);
    if (reply.ok && reply.body.data.is_final) return;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(reply, pollMs)));
  }
}
