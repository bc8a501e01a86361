import { type Html, html } from './html.ts';
import type { LinkPayment, PayLink, PayView } from './pay-view.ts';
import { groupedAmount, tokens, unitOf } from './tokens.ts';

/** How much is asked for, or was paid: the largest text of the page. */
export function amountLine(link: PayLink, payment: LinkPayment | undefined): Html {
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
export function amountForm(link: PayLink, typed: string, fault: string | undefined): Html {
  const bounds = `From ${tokens(link.minAmount, link)} to ${tokens(link.maxAmount, link)}`;
  return html`<form id="amount-form" method="get">
<label for="chosen">Amount in <bdi>${unitOf(link)}</bdi></label>
<input id="chosen" name="amount" inputmode="decimal" autocomplete="off" maxlength="64" required aria-describedby="bounds" aria-invalid="${String(fault !== undefined)}" value="${typed}">
<p id="bounds" aria-live="polite" data-usual="${bounds}">${fault ?? bounds}</p>
<noscript><button class="button" type="submit">Use this amount</button></noscript>
</form>`;
}

/** To whom, of which token, until when: what a careful payer compares. */
export function facts({ link, state }: PayView, now: number): Html {
  const name = [link.tokenName?.trim(), link.tokenSymbol?.trim()].filter(Boolean).join(', ');
  const rows = [
    html`<div><dt>Recipient</dt><dd>${address(link.recipient)}</dd></div>`,
    html`<div><dt>Token</dt><dd>${name === '' ? undefined : html`<bdi>${name}</bdi> `}${address(link.mint)}
<p class="hint">${
      name === ''
        ? 'The token has no name of its own. Compare its address.'
        : 'Anyone can give a token this name. Compare its address.'
    }</p></dd></div>`,
    link.memo === null ? undefined : html`<div><dt>Memo</dt><dd><bdi>${link.memo}</bdi></dd></div>`,
    html`<div class="until"><dt>${state === 'expired' || link.expiresAt.getTime() <= now ? 'Expired' : 'Pay until'}</dt><dd>${time(link.expiresAt)}</dd></div>`,
  ];
  return html`<section class="facts" aria-label="Details">
<dl>${rows.filter((row) => row !== undefined)}</dl>
</section>`;
}

/** What was paid by whom, and where to go now. It is there from the start, so that a payment can be shown without a reload. */
export function receipt(payment: LinkPayment | undefined, link: PayLink): Html {
  const received = payment && tokens(payment.received, link);
  const back =
    link.redirect !== null && URL.canParse(link.redirect)
      ? html`<a class="button" href="${link.redirect}" rel="noreferrer">Continue to ${new URL(link.redirect).host}</a>
`
      : undefined;
  return html`<div class="receipt" id="receipt">
<dl>
<div><dt>Received</dt><dd id="received">${received}</dd></div>
<div><dt>Paid by</dt><dd id="payer" class="address">${payment?.payer}</dd></div>
<div><dt>Transaction</dt><dd id="signature" class="address">${payment?.signature}</dd></div>
</dl>
${back}</div>`;
}

/** An address in full, in groups of four characters that copying joins again. */
function address(text: string): Html {
  const groups = text.match(/.{1,4}/g) ?? [];
  return html`<span class="address" translate="no">${groups.map((group) => html`<span>${group}</span>`)}</span>`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A moment in UTC; the script writes it in the payer's own time. */
function time(date: Date): Html {
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()].map((part) => String(part).padStart(2, '0'));
  const text = `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${hours}:${minutes} UTC`;
  return html`<time id="expires" datetime="${date.toISOString()}">${text}</time>`;
}
