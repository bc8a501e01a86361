import { formatAmount } from 'splwright-core';
import type { PaymentLink } from '../../keys/store/payment-links/payment-link-store.ts';
import type { LinkView } from '../../payments/link-view.ts';
import type { ActionJson, PayReplyJson } from '../schemas/action-schema.ts';
import { payerTokenName, payerTokens } from '../words/payer-words.ts';
import { visibleText } from '../words/visible-text.ts';
import { linkUrl } from './link-json.ts';
import { closedMessages } from './payer-message.ts';

/** The path of the image of links that have none. */
const defaultIconPath = '/pay/icon.svg';

/** Writes what a wallet reads of a link: a Solana Pay transaction request and a Solana Action in one. */
export function actionJson({ link, state }: LinkView, publicUrl: string): ActionJson {
  const label = visibleText(link.label);
  return {
    type: 'action',
    icon: iconOf(link, publicUrl),
    title: label,
    description: describe(link),
    label,
    ...(state !== 'open' && { disabled: true, error: { message: closedMessages[state] } }),
    links: { actions: [linkedAction(link, linkUrl(link.id, publicUrl))] },
  };
}

function linkedAction(link: PaymentLink, url: string): ActionJson['links']['actions'][number] {
  const { minAmount, maxAmount, decimals } = link;
  if (minAmount === maxAmount) {
    return { type: 'transaction', label: `Pay ${payerTokens(minAmount, link)}`, href: url };
  }
  const token = payerTokenName(link);
  const parameter = {
    name: 'amount',
    type: 'number' as const,
    label: `Amount in ${token}`,
    // Numbers, as the specification has them: what is sent is compared with the exact bounds.
    min: Number(formatAmount(minAmount, decimals)),
    max: Number(formatAmount(maxAmount, decimals)),
    required: true,
  };
  return { type: 'transaction', label: `Pay ${token}`, href: `${url}?amount={amount}`, parameters: [parameter] };
}

function describe(link: PaymentLink): string {
  const [min, max] = [payerTokens(link.minAmount, link), payerTokens(link.maxAmount, link)];
  const what = `${min === max ? min : `${min} to ${max}`} to ${visibleText(link.label)}`;
  // Any token can have any name: its address tells it from others.
  const terms = `${what} · token ${link.mint}`;
  return link.message === null ? terms : `${visibleText(link.message)} · ${terms}`;
}

function iconOf({ icon }: PaymentLink, publicUrl: string): string {
  return icon ?? `${publicUrl}${defaultIconPath}`;
}

/** Writes what a wallet gets: the transaction in base64, and what to show before and after it. */
export function payReplyJson(
  link: PaymentLink,
  { transaction, amount }: { transaction: Uint8Array; amount: bigint },
  publicUrl: string,
): PayReplyJson {
  const label = visibleText(link.label);
  const message = `${payerTokens(amount, link)} to ${label}`;
  const action = {
    type: 'completed' as const,
    icon: iconOf(link, publicUrl),
    title: label,
    description: `Paid: ${message}`,
    label: 'Paid',
  };
  return {
    type: 'transaction',
    transaction: Buffer.from(transaction).toString('base64'),
    message,
    ...(link.redirect !== null && { redirect: link.redirect }),
    links: { next: { type: 'inline', action } },
  };
}
