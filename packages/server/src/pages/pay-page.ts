import { assetPath, assets } from './assets.ts';
import { readChosenAmount, typedAmountOf } from './chosen-amount.ts';
import { type Html, html, markup } from './html.ts';
import { pageShell } from './page-shell.ts';
import { payCode } from './pay-code.ts';
import { amountForm, amountLine, facts, receipt } from './pay-parts.ts';
import type { PayView } from './pay-view.ts';
import { type PayWords, payNotes, payWords } from './pay-words.ts';
import { tokens } from './tokens.ts';

/** The networks, as the Wallet Standard names them. */
export type PayChain = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

/** What a page needs in addition to its link. */
export interface PayPageContext {
  /** Where the link is reached: an absolute URL without a query. */
  url: string;
  /** The network; `undefined` while it is not known: then no wallet of the browser is offered. */
  chain: PayChain | undefined;
  /** The origins from which the page may show a link's icon. */
  iconOrigins: readonly string[];
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** The amount that a payer without scripts has typed, if the link leaves it open. */
  typedAmount?: string | undefined;
}

/** What a page says of its network; nothing of mainnet. */
export const networkNotes: Readonly<Record<PayChain, string | undefined>> = {
  'solana:mainnet': undefined,
  'solana:devnet': 'Devnet: test tokens without value',
  'solana:testnet': 'Testnet: test tokens without value',
  'solana:localnet': 'Sandbox: test tokens without value',
};

/**
 * The checkout page of a payment link, in any state, as an HTML document.
 *
 * Shows who asks, for what, how much of which token, to whom and until when; how to pay while that is possible; and what became of
 * it. Everything that matters is there without scripts. Texts of the link and of the mint stay text.
 */
export function payPage(view: PayView, context: PayPageContext): string {
  const { link } = view;
  const words = payWords(view);
  const isOpen = words.phase === 'open';
  const note = context.chain && networkNotes[context.chain];
  const asked = link.minAmount === link.maxAmount ? tokens(link.minAmount, link) : 'an amount you choose';
  return pageShell({
    title: isOpen ? `Pay ${asked} to ${link.label}` : `${words.title}: ${link.label}`,
    head: html`<script type="module" src="${assetPath(assets.script)}"></script>
${
  view.isFinal
    ? undefined
    : html`<noscript><meta http-equiv="refresh" content="${isOpen ? 20 : 5}"></noscript>
`
}`,
    body: html`<main data-phase="${words.phase}" data-chain="${context.chain ?? ''}" data-url="${context.url}" data-final="${String(view.isFinal)}" data-decimals="${link.decimals}" data-min="${String(link.minAmount)}" data-max="${String(link.maxAmount)}">
<header class="ask">
<div class="who">${icon(view, context)}<h1><bdi>${link.label}</bdi></h1></div>
${
  link.message === null
    ? undefined
    : html`<p class="message"><bdi>${link.message}</bdi></p>
`
}${amountLine(link, words.payment)}
<div id="notes">${payNotes(view, words.payment).map((note) => html`<p class="note">${note}</p>`)}</div>
${
  note &&
  html`<p class="network">${note}</p>
`
}</header>
${panel(view, words, context)}
${facts(view, context.now)}
</main>
<footer><p>Your wallet shows amount, token, and recipient again. Approve only what is on this page.</p></footer>`,
  });
}

function icon({ link }: PayView, { iconOrigins }: PayPageContext): Html {
  const isAllowed = link.icon !== null && URL.canParse(link.icon) && iconOrigins.includes(new URL(link.icon).origin);
  const source = isAllowed ? (link.icon ?? '') : assetPath(assets.icon);
  return html`<img src="${source}" alt="" width="48" height="48" referrerpolicy="no-referrer">`;
}

function panel(view: PayView, words: PayWords, context: PayPageContext): Html {
  return html`<section class="panel" aria-labelledby="title">
<div class="status" role="status" tabindex="-1" id="status">
<span class="mark" aria-hidden="true"></span>
<h2 id="title">${words.title}</h2>
<p id="message">${words.message}</p>
</div>
<p class="alert" role="alert" id="alert"></p>
${words.phase === 'open' ? offer(view, context) : undefined}
${receipt(words.payment, view.link)}
<p class="connection" role="status" id="connection"></p>
</section>`;
}

/** How to pay: only while that is possible. */
function offer({ link }: PayView, { url, typedAmount }: PayPageContext): Html {
  const isFixed = link.minAmount === link.maxAmount;
  const { amount, fault } =
    isFixed || typedAmount === undefined ? { amount: link.minAmount } : readChosenAmount(typedAmount, link);
  // None while it is not clear how much is to be paid.
  const code = amount === undefined ? undefined : payCode(url, link, amount);
  return html`<div class="offer" id="offer"${fault && markup(' data-invalid')}>
${isFixed ? undefined : amountForm(link, amount === undefined ? (typedAmount ?? '') : typedAmountOf(amount, link.decimals), fault)}
<a class="button" id="open"${code && html` href="${code.text}"`}>Open in a wallet app</a>
<div id="wallets" hidden>
<h3>Wallets in this browser</h3>
<ul id="wallet-list"></ul>
<p id="no-wallet">No wallet was found in this browser.</p>
</div>
<figure>
<div class="code" id="code" role="img" aria-label="QR code of this payment">${code && markup(code.svg)}</div>
<figcaption>Scan with the wallet on your phone</figcaption>
</figure>
<button class="quiet" id="copy-link" type="button" data-copy="${url}" hidden>Copy link</button>
</div>
<ul id="accounts"></ul>
<button class="quiet" id="back" type="button">Choose another way to pay</button>`;
}
