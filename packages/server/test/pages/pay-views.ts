import { toAddress } from '../../../core/src/addresses/address.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import type { LinkPayment, PaymentLink } from '../../src/links/records/payment-link.ts';
import { linkWith, paymentWith } from '../links/records/links.ts';

/** An open link for 25 USDC, as pages show it. */
export const sampleLink: PaymentLink = linkWith({
  id: '3yZe7d9KqLmNpRsT',
  reference: toAddress('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'),
  recipient: toAddress('7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'),
  mint: toAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  minAmount: 25_000_000n,
  maxAmount: 25_000_000n,
  tokenName: 'USD Coin',
  tokenSymbol: 'USDC',
  memo: 'order-4711',
  label: 'Tea house Lotus',
  message: 'Table 7: two cups of Sencha and a matcha cake',
  expiresAt: new Date('2026-11-29T09:04:00Z'),
});

/** A payment of that link that counts. */
export const samplePayment: LinkPayment = paymentWith({
  signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  payer: toAddress('9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'),
  amount: 25_000_000n,
  received: 25_000_000n,
  commitment: 'finalized',
});

/** An open view of the sample link, with some parts of it replaced. */
export function viewWith(parts: Partial<PaymentLink> = {}, state: Partial<Omit<LinkView, 'link'>> = {}): LinkView {
  return {
    link: { ...sampleLink, ...parts },
    state: 'open',
    isFinal: false,
    payments: [],
    uiScale: undefined,
    ...state,
  };
}

/** The sample link with the longest texts, amounts and names that a link can have. */
export const longestView: LinkView = viewWith({
  label: 'W'.repeat(80),
  message: '漢'.repeat(200),
  memo: 'M'.repeat(300),
  tokenName: 'Very Long Name of a Token That Goes On and On',
  tokenSymbol: 'WWWWWWWWWWWWWWWWWWWW',
  decimals: 9,
  minAmount: 2n ** 64n - 1n,
  maxAmount: 2n ** 64n - 1n,
  redirect: `https://${'w'.repeat(60)}.example/`,
});
