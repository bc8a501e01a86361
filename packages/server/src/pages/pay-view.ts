import type { LinkView } from '../links/link-view.ts';
import type * as stored from '../links/records/payment-link-store.ts';

/** A payment link, as far as its page shows it. */
export type PayLink = Pick<
  stored.PaymentLink,
  | 'id'
  | 'recipient'
  | 'mint'
  | 'decimals'
  | 'minAmount'
  | 'maxAmount'
  | 'tokenName'
  | 'tokenSymbol'
  | 'transferFees'
  | 'wasRecipientNeverUsed'
  | 'memo'
  | 'label'
  | 'message'
  | 'icon'
  | 'redirect'
  | 'isSingleUse'
  | 'expiresAt'
>;

/** A payment of a link, as far as its page shows it. */
export type LinkPayment = Pick<
  stored.LinkPayment,
  'signature' | 'payer' | 'amount' | 'received' | 'commitment' | 'flaw'
>;

/** A link as of its last check of the chain, as far as its page shows it; its payments the oldest first. */
export type PayView = Pick<LinkView, 'state' | 'isFinal' | 'uiScale'> & {
  link: PayLink;
  payments: readonly LinkPayment[];
};
