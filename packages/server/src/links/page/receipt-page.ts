import { assetPath } from '../../app/pages/assets.ts';
import { type Html, html } from '../../app/pages/html.ts';
import { pageShell } from '../../app/pages/page-shell.ts';
import { linkUrl } from '../link-json.ts';
import type { LinkView } from '../link-view.ts';
import { networkNotes, type PayChain } from '../pay-chain.ts';
import { groupedAmount } from '../payer-words.ts';
import type { LinkPayment, PaymentLink } from '../records/payment-link.ts';
import { address, brandStyle, type LinkPageContext, payee, term, time, token } from './page-parts.ts';
import type { PaySandbox } from './pay-page.ts';
import { tokenPaid, tokens, unitOf } from './pay-state.ts';
import { shopIconPath } from './shop-icon.ts';

interface ReceiptContext extends LinkPageContext {
  sandboxWorld?: PaySandbox | undefined;
  /** Which payment of a link that takes several. */
  signature: string | undefined;
}

/** The receipt of a payment for paper, as an HTML document; of a link that is not paid, a page that says so. */
export function receiptPage(view: LinkView, context: ReceiptContext): string {
  const { link } = view;
  const payment = paymentOf(view, context.signature);
  return pageShell({
    title: payment ? `Receipt: ${link.label}` : `No receipt: ${link.label}`,
    style: 'pay.css',
    icon: shopIconPath(link.label, context.brand),
    head: html`${brandStyle(context.brand)}<script type="module" src="${assetPath('receipt.ts')}"></script>
`,
    body: html`<main class="paper">
<header class="letterhead">${payee(link, context)}${payment && html`<button class="quiet" id="print" type="button" hidden>Print</button>`}</header>
${payment ? receipt(payment, tokenPaid(link, payment), context) : noReceipt(link)}
</main>`,
  });
}

/** A payment that counts: the one that was asked for, otherwise that of a link for a single one. */
function paymentOf({ link, payments }: LinkView, signature: string | undefined): LinkPayment | undefined {
  const counting = payments.filter(({ flaw }) => flaw === undefined);
  if (signature !== undefined) return counting.find((each) => each.signature === signature);
  return link.isSingleUse ? counting[0] : undefined;
}

function noReceipt({ id, isSingleUse }: PaymentLink): Html {
  return html`<h2>No receipt yet</h2>
<p>${
    isSingleUse
      ? 'This link has not been paid.'
      : 'This link can be paid several times. Open the receipt from the page where you paid.'
  }</p>
<a class="button" href="/pay/${id}">Open the payment page</a>`;
}

function receipt(payment: LinkPayment, link: PaymentLink, { chain, sandboxWorld, publicUrl }: ReceiptContext): Html {
  const { payer, feePayer, amount, received, signature, blockTime, commitment } = payment;
  const text = groupedAmount(amount, link.decimals);
  const note = chain && networkNotes[chain];
  const explorer = explorerUrl(signature, chain, sandboxWorld?.rpc_url);
  const terms = [
    blockTime === null ? undefined : term('Paid on', time(new Date(Number(blockTime) * 1_000))),
    link.message === null ? undefined : term('For', html`<bdi>${link.message}</bdi>`),
    received === amount ? undefined : term('Received', tokens(received, link)),
    term('Token', token(link)),
    term('From', address(payer)),
    term('To', address(link.recipient)),
    feePayer === undefined ? undefined : term('Network fee paid by', address(feePayer)),
    link.memo === null ? undefined : term('Memo', html`<bdi>${link.memo}</bdi>`),
    term(
      'Transaction',
      html`<span class="signature" translate="no">${signature}</span>${
        explorer &&
        html`
<a id="explorer" href="${explorer}" rel="noreferrer">View in Solana Explorer</a>`
      }`,
    ),
    term('Payment link', html`<span class="signature">${linkUrl(link.id, publicUrl)}</span>`),
  ];
  return html`<h2>Receipt</h2>
<p class="amount"><span>${text}</span> <bdi>${unitOf(link, text)}</bdi></p>
<p class="stamp">${commitment === 'finalized' ? 'Paid' : 'Paid. Final in a few seconds.'}</p>
${note && html`<p class="network">${note}</p>`}
<dl>${terms.filter((each) => each !== undefined)}</dl>
<a class="quiet" href="/pay/${link.id}">Back to the payment</a>`;
}

function explorerUrl(signature: string, chain: PayChain | undefined, rpcUrl = ''): string | undefined {
  if (!chain) return undefined;
  const clusters: Readonly<Record<PayChain, string>> = {
    'solana:mainnet': '',
    'solana:devnet': '?cluster=devnet',
    'solana:testnet': '?cluster=testnet',
    'solana:localnet': `?cluster=custom&customUrl=${encodeURIComponent(rpcUrl)}`,
  };
  return `https://explorer.solana.com/tx/${signature}${clusters[chain]}`;
}
