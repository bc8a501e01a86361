import type { Finding, FindingCode, FindingOf } from 'splwright-core';
import { type ProblemCode, problems } from '../../errors.ts';
import type { LinkState } from '../../links/link-view.ts';
import type { PaymentLink } from '../../links/records/payment-link-store.ts';
import { payerTokens, payerWords } from '../words/payer-words.ts';

/** What a payer is told when the payment would not land: about the first of the reasons. */
export function payerMessageOfFinding<Code extends FindingCode>(
  finding: FindingOf<Code> | Finding,
  link: PaymentLink,
): string;
export function payerMessageOfFinding<Code extends FindingCode>(
  { code, context }: FindingOf<Code>,
  link: PaymentLink,
): string {
  return payerWords[code](context, link);
}

/** What a payer is told about a link that takes no payment: why, and what to do. */
export const closedMessages = {
  open: 'This link can no longer be paid. Ask the seller for a new one.',
  paid: 'This link has been paid. Nothing more is to be paid.',
  expired: 'This link has expired. Ask the seller for a new one.',
  cancelled: 'This link was canceled. Ask the seller for a new one.',
} as const satisfies Record<LinkState, string>;

/** What a payer is told who asked for an amount that the link does not take. */
export function boundsMessage(link: PaymentLink): string {
  const [min, max] = [payerTokens(link.minAmount, link), payerTokens(link.maxAmount, link)];
  const message = min === max ? `This payment is ${min}.` : `Choose an amount from ${min} to ${max}.`;
  return message.length <= 80 ? message : 'Choose an amount within the bounds of this link.';
}

const busy = 'Too many requests. Wait a minute, then try again.';
const unreachable = 'The Solana network cannot be reached now. Try again in a minute.';
const ownMessages: Partial<Record<ProblemCode, string>> = {
  payment_link_not_found: 'There is no such payment link. Check it, or ask the seller for a new one.',
  payment_link_closed: closedMessages.open,
  payment_link_changed: 'The token of this link has changed. Ask the seller for a new link.',
  payment_links_off: 'Payment links are switched off here. Ask the seller for another way.',
  rate_limited: busy,
  overloaded: 'The service is busy. Wait a moment, then try again.',
  upstream_error: unreachable,
  upstream_disagreement: unreachable,
  upstream_unavailable: unreachable,
  upstream_timeout: unreachable,
  invalid_address: 'The account that your wallet sent is not a Solana address.',
};

/** What a payer is told about a refusal that is not about the payment itself. */
export function payerMessageOf(code: ProblemCode): string {
  const own = ownMessages[code];
  if (own !== undefined) return own;
  return problems[code].status >= 500
    ? 'The payment service failed. Nothing was paid. Try again in a minute.'
    : 'Your wallet sent a request that is not understood. Use another wallet.';
}
