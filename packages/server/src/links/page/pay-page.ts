import { sol } from 'splwright-core';
import { assetPath } from '../../app/pages/assets.ts';
import { type Html, html, markup } from '../../app/pages/html.ts';
import { pageShell } from '../../app/pages/page-shell.ts';
import type { SandboxWorldJson } from '../../app/public-schema.ts';
import { iconOf } from '../action-json.ts';
import { linkUrl } from '../link-json.ts';
import { type LinkView, viewIn } from '../link-view.ts';
import { networkName, networkNotes } from '../pay-chain.ts';
import { groupedAmount } from '../payer-words.ts';
import { wrapsSol } from '../payment-request.ts';
import type { LinkPayment, PaymentLink } from '../records/payment-link.ts';
import { readChosenAmount } from './chosen-amount.ts';
import { address, brandStyle, type LinkPageContext, payee, term, time, token } from './page-parts.ts';
import {
  describeAmounts,
  describePayState,
  type PayWords,
  payCode,
  tokens,
  typedAmountOf,
  unitOf,
} from './pay-state.ts';
import { shopIconPath } from './shop-icon.ts';

/** The sandbox's wallets, as which a page can pay, and the node to which it sends what they sign. */
export type PaySandbox = Pick<SandboxWorldJson, 'wallets' | 'rpc_url'>;

export interface PayPageContext extends LinkPageContext {
  /** Where wallets pay the link in its token. */
  url: string;
  /** Absent on a real network. */
  sandboxWorld?: PaySandbox | undefined;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** The amount that a payer without scripts has typed, if the link leaves it open. */
  typedAmount?: string | undefined;
}

/**
 * The checkout page of a payment link, in any state, as an HTML document.
 *
 * Shows who asks, for what, how much of which token, to whom and until when; how to pay while that is possible; and what became of
 * it. Everything that matters is there without scripts. Texts of the link and of the mint stay text.
 */
export function payPage(chosen: LinkView, context: PayPageContext): string {
  const words = describePayState(chosen);
  const view = (words.payment && viewIn(chosen, words.payment.mint)) ?? chosen;
  const { link } = view;
  const { chain, brand } = context;
  const isOpen = words.phase === 'open';
  const note = chain && networkNotes[chain];
  const asked = link.minAmount === link.maxAmount ? tokens(link.minAmount, link) : 'an amount you choose';
  const title = isOpen ? `Pay ${asked} to ${link.label}` : `${words.title}: ${link.label}`;
  return pageShell({
    title,
    style: 'pay.css',
    icon: shopIconPath(link.label, brand),
    head: html`${brandStyle(brand)}${preview(view, title, [note, isOpen ? (link.message ?? words.message) : words.message], context)}
<script type="module" src="${assetPath('pay.ts')}"></script>
${
  view.isFinal
    ? undefined
    : html`<noscript><meta http-equiv="refresh" content="${isOpen ? 20 : 5}"></noscript>
`
}`,
    body: html`<main data-phase="${words.phase}" data-chain="${chain ?? ''}" data-network="${networkName(chain)}" data-rpc="${context.sandboxWorld?.rpc_url ?? ''}" data-url="${context.url}" data-decimals="${link.decimals}" data-min="${String(link.minAmount)}" data-max="${String(link.maxAmount)}" data-least="${tokens(link.minAmount, link)}" data-most="${tokens(link.maxAmount, link)}" data-mint="${link.otherTokens.length === 0 ? '' : link.mint}" data-terms="${termsOf(link)}">
<header class="ask">
${payee(link, context)}
${
  link.message === null
    ? undefined
    : html`<p class="message"><bdi>${link.message}</bdi></p>
`
}${amountLine(link, words.payment)}
<div id="notes">${describeAmounts(view, words.payment).map((each) => html`<p class="note">${each}</p>`)}</div>
${
  note &&
  html`<p class="network">${note}</p>
`
}</header>
${panel(view, words, context)}
${facts(view, context.now)}
</main>
<footer><p>Your wallet shows the amount, token and recipient again. Approve only if they match this page.</p></footer>`,
  });
}

/** Open Graph: the preview of a link in chats and social networks. */
function preview(
  { link }: LinkView,
  title: string,
  parts: readonly (string | undefined)[],
  { brand, publicUrl }: PayPageContext,
): Html {
  const tag = (name: string, content: string) => html`
<meta property="og:${name}" content="${content}">`;
  const description = parts.filter((part) => part !== undefined).join(' · ');
  return html`<meta name="description" content="${description}">${[
    tag('type', 'website'),
    tag('title', title),
    tag('description', description),
    tag('url', linkUrl(link.id, publicUrl)),
    tag('image', iconOf(link, { publicUrl, brand })),
    ...(brand.name === undefined ? [] : [tag('site_name', brand.name)]),
  ]}
<meta name="twitter:card" content="summary">`;
}

/** The terms that the script compares each transaction with: encoded, since `html` changes texts that hide or reorder characters. */
function termsOf(link: PaymentLink): string {
  const { recipient, mint, memo, reference, maxSponsorFee } = link;
  const sponsor = maxSponsorFee === null ? {} : { fee_payer: 'sponsor', max_sponsor_fee: `${maxSponsorFee}` };
  const wrap = wrapsSol(link) ? { wrap: true } : {};
  const terms = { to_address: recipient, token_mint_address: mint, memo, reference, ...sponsor, ...wrap };
  return encodeURIComponent(JSON.stringify(terms));
}

function panel(view: LinkView, words: PayWords, context: PayPageContext): Html {
  return html`<section class="panel" aria-labelledby="title">
<div class="news">
<div class="status" role="status" tabindex="-1" id="status">
<span class="mark" aria-hidden="true"></span>
<h2 id="title">${words.title}</h2>
<p id="message">${words.message}</p>
</div>
<p class="alert" role="alert" id="alert"></p>
<p class="refused" role="status" id="refused"></p>
</div>
${words.phase === 'open' ? offer(view, context) : undefined}
${receipt(words.payment, view.link)}
${end(view.link)}
<p class="connection" role="status" id="connection"></p>
</section>`;
}

/** How to pay; shown only while the link is open. */
function offer({ link }: LinkView, { url, typedAmount, sandboxWorld }: PayPageContext): Html {
  const isFixed = link.minAmount === link.maxAmount;
  const { amount, fault } =
    isFixed || typedAmount === undefined
      ? { amount: link.minAmount }
      : readChosenAmount(typedAmount, {
          ...link,
          least: tokens(link.minAmount, link),
          most: tokens(link.maxAmount, link),
        });
  // None while it is not clear how much is to be paid.
  const code = amount === undefined ? undefined : payCode(url, link, amount);
  return html`<div class="offer" id="offer"${fault && markup(' data-invalid')}>
${isFixed ? undefined : amountForm(link, amount === undefined ? (typedAmount ?? '') : typedAmountOf(amount, link.decimals), fault)}
${otherTokens(link)}${sandboxWorld && sandboxPayers(sandboxWorld)}
<a class="button" id="open"${code && html` href="${code.text}"`}>Open in a wallet app</a>
<div id="wallets" hidden>
<h3>Wallets in this browser</h3>
<ul id="wallet-list"></ul>
<p id="no-wallet">No wallet was found in this browser.</p>
</div>
<figure>
<div class="code" id="code" role="img" aria-label="QR code of this payment">${code && markup(code.svg)}</div>
<figcaption>${codeHint(url)}</figcaption>
</figure>
<button class="quiet" id="copy-link" type="button" data-copy="${url}" hidden>Copy link</button>
</div>
<ul id="accounts"></ul>
<button class="quiet" id="back" type="button">Choose another way to pay</button>`;
}

/** The other tokens in which it can be paid: each leads to the page in that token. */
function otherTokens({ otherTokens }: PaymentLink): Html | undefined {
  if (otherTokens.length === 0) return undefined;
  return html`<ul class="tokens" aria-label="Pay in another token">${otherTokens.map(
    (token) =>
      html`<li><a href="?mint=${token.mint}">Pay <bdi>${tokens(token.minAmount, token)}</bdi> instead</a></li>`,
  )}</ul>
`;
}

/** The wallets of the sandbox, as which anyone can pay: shown by the script that signs. */
function sandboxPayers({ wallets: [first, ...others] }: PaySandbox): Html | undefined {
  return (
    first &&
    html`<div id="sandbox" hidden>
<button class="button" id="pay-as" type="button">Pay as ${first.name}</button>
<label for="sandbox-wallet">Sandbox wallet</label>
<select id="sandbox-wallet">${[first, ...others].map(({ name, address }) => html`<option value="${address}">${name}</option>`)}</select>
</div>`
  );
}

const loopbackHost = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/** How to use the QR code, or why a phone can do nothing with it. */
function codeHint(url: string): string {
  const { hostname } = new URL(url);
  if (!loopbackHost.test(hostname)) return 'Scan with the wallet on your phone';
  return `A phone cannot open ${hostname}, which is this computer. Set PUBLIC_URL to an https address that a phone can open.`;
}

/** How much is asked for, or was paid: the largest text of the page. */
function amountLine(link: PaymentLink, payment: LinkPayment | undefined): Html {
  if (payment !== undefined || link.minAmount === link.maxAmount) {
    const amount = payment?.amount ?? link.minAmount;
    const text = groupedAmount(amount, link.decimals);
    return html`<p class="amount${text.length > 10 ? ' long' : undefined}"><span id="amount">${text}</span> <bdi>${unitOf(link, text)}</bdi></p>`;
  }
  const [min, max] = [groupedAmount(link.minAmount, link.decimals), groupedAmount(link.maxAmount, link.decimals)];
  return html`<p class="amount range"><span id="amount">${min} to ${max}</span> <bdi>${unitOf(link)}</bdi></p>`;
}

/**
 * The field of an amount that the payer chooses, with what is typed in it, and what is wrong with that.
 *
 * Without scripts its button shows the page for that amount.
 */
function amountForm(link: PaymentLink, typed: string, fault: string | undefined): Html {
  const bounds = `From ${tokens(link.minAmount, link)} to ${tokens(link.maxAmount, link)}`;
  return html`<form id="amount-form" method="get">
<label for="chosen">Amount in <bdi>${unitOf(link)}</bdi></label>
<input id="chosen" name="amount" inputmode="decimal" autocomplete="off" maxlength="64" required aria-describedby="bounds" aria-invalid="${String(fault !== undefined)}" value="${typed}">
<p id="bounds" aria-live="polite" data-usual="${bounds}">${fault ?? bounds}</p>
<noscript><button class="button" type="submit">Use this amount</button></noscript>
</form>`;
}

/** To whom, of which token, until when: what a careful payer compares. */
function facts({ link, state }: LinkView, now: number): Html {
  const hasName = [link.tokenName, link.tokenSymbol].some((name) => name?.trim());
  const isOver = state === 'expired' || link.expiresAt.getTime() <= now;
  return html`<section class="facts" aria-label="Details">
<dl>${[
    term('Recipient', address(link.recipient)),
    term(
      'Token',
      html`${token(link)}${
        link.mint === sol
          ? undefined
          : html`
<p class="hint">${hasName ? 'Anyone can give a token this name.' : 'The token has no name of its own.'} Compare its address.</p>`
      }`,
    ),
    ...(link.memo === null ? [] : [term('Memo', html`<bdi>${link.memo}</bdi>`)]),
    term(isOver ? 'Expired' : 'Pay until', time(link.expiresAt), 'until'),
  ]}</dl>
</section>`;
}

/** The payment and its payer. It is in the page from the start, so that a payment is shown without a reload. */
function receipt(payment: LinkPayment | undefined, link: PaymentLink): Html {
  const received = payment && tokens(payment.received, link);
  return html`<dl class="receipt">
<div><dt>Received</dt><dd id="received">${received}</dd></div>
<div><dt>Paid by</dt><dd id="payer" class="address">${payment?.payer}</dd></div>
<div><dt>Transaction</dt><dd id="signature" class="address">${payment?.signature}</dd></div>
</dl>`;
}

/** Where to go once there is nothing left to pay here. */
function end({ id, redirect }: PaymentLink): Html {
  const shop = redirect !== null && URL.canParse(redirect) ? new URL(redirect).host : undefined;
  return html`<p class="more"><span id="returning" role="status" hidden>Going back in a few seconds. <button class="quiet" id="stay" type="button">Stay here</button></span>
<a class="quiet" id="receipt" href="/pay/${id}/receipt">Receipt</a></p>${
    shop &&
    html`
<a class="button" id="shop" href="${redirect ?? ''}" rel="noreferrer">Back to the shop <small>${shop}</small></a>`
  }`;
}

/** The page that people get in place of a payment page, with what they can do, as an HTML document. */
export function payProblemPage(status: number, retryAfterSeconds: number | undefined): string {
  const { title, message, isPassing } = wordsOf(status, retryAfterSeconds);
  return pageShell({
    title,
    style: 'pay.css',
    body: html`<main class="alone" data-phase="${isPassing ? 'busy' : 'unknown'}">
<section class="panel"><div class="status"><span class="mark" aria-hidden="true"></span>
<h1>${title}</h1>
<p>${message}</p>
${isPassing ? html`<a class="button" href="">Try again</a>` : undefined}</div></section>
</main>`,
  });
}

function wordsOf(
  status: number,
  retryAfterSeconds: number | undefined,
): { title: string; message: string; isPassing: boolean } {
  const soon = retryAfterSeconds === undefined ? 'in a moment' : `in ${retryAfterSeconds} s`;
  if (status === 404) {
    const message =
      'Check that the link is complete, or ask its sender. A link that ended long ago is no longer here, paid or not.';
    return { title: 'Payment link not found', message, isPassing: false };
  }
  if (status === 429) {
    const message = `Too many requests came from your network. Try again ${soon}.`;
    return { title: 'Too many requests', message, isPassing: true };
  }
  if (status >= 500) {
    const message = `The link may still be valid. Try again ${soon}.`;
    return { title: 'The payment service is not available', message, isPassing: true };
  }
  const message = 'Open the payment link again as you received it.';
  return { title: 'This request cannot be answered', message, isPassing: false };
}
