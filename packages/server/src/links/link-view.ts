import { type UiScale, uiScaleAt, type Warning } from 'splwright-core';
import { keyAllowsLink } from '../keys/key-permission.ts';
import {
  inToken,
  type LinkPayment,
  type LinkRefund,
  type LinkToken,
  type OwnerKey,
  type PaymentLink,
  type StoredPaymentLink,
} from './records/payment-link.ts';

/** Whether a link can be paid, or why not. `cancelled`: by its owner, or because the owner's API key may no longer make such a link. */
export type LinkState = 'open' | 'paid' | 'expired' | 'cancelled';

/** A link as of its last check of the chain. */
export interface LinkView {
  link: PaymentLink;
  state: LinkState;
  /** Whether `state` can no longer change. */
  isFinal: boolean;
  /** The oldest first. */
  payments: readonly LinkPayment[];
  /** How wallets scale amounts of the mint at the time of the view; `undefined` when they do not. */
  uiScale: UiScale | undefined;
  /** The same of the link's other tokens, by mint; absent where there are none. */
  otherUiScales?: ReadonlyMap<string, UiScale | undefined>;
  /** The oldest first; absent where there are none. */
  refunds?: readonly LinkRefund[];
  /** Warnings about the recipient; only of a link that has just been made. */
  warnings?: readonly Warning[];
  /** Of a link in a list, whose `payments` are those that count: how many others there are. */
  flawedCount?: number;
}

/**
 * Returns the state of a link at `now`, in milliseconds since the Unix epoch.
 *
 * A link for a single payment is `paid` by the first one that counts, whenever it was made: the money is there.
 */
export function viewOf({ link, payments, refunds }: StoredPaymentLink, now: number): LinkView {
  const scaleOf = ({ uiAmountConfig: config }: LinkToken): UiScale | undefined =>
    config === null ? undefined : uiScaleAt(config, BigInt(Math.floor(now / 1_000)));
  const shown = {
    ...(refunds && { refunds }),
    uiScale: scaleOf(link),
    ...(link.otherTokens.length > 0 && {
      otherUiScales: new Map(link.otherTokens.map((each) => [each.mint, scaleOf(each)])),
    }),
  };
  const counting = link.isSingleUse ? payments.filter(({ flaw }) => flaw === undefined) : [];
  if (counting.length > 0) {
    const isFinal = counting.some(({ commitment }) => commitment === 'finalized');
    return { link, state: 'paid', isFinal, payments, ...shown };
  }
  return { link, state: unpaidState(link, now), isFinal: link.settledAt !== null, payments, ...shown };
}

/** Returns the view of a link in one of its tokens; `undefined` where it is not paid in that. */
export function viewIn(view: LinkView, mint: string): LinkView | undefined {
  const link = inToken(view.link, mint);
  if (!link || mint === view.link.mint) return link && view;
  const { uiScale: first, otherUiScales: others, ...rest } = view;
  return {
    ...rest,
    link,
    uiScale: others?.get(mint),
    otherUiScales: new Map([...(others ?? []), [view.link.mint, first]]),
  };
}

/**
 * Returns a link that is `cancelled` if the API keys of its owner do not allow it now, otherwise the view as it is.
 *
 * `keys` are the accepted ones, the newest first. The key that made the link decides; once it has ended, the newest one does.
 */
export function underKeys(view: LinkView, keys: readonly OwnerKey[]): LinkView {
  const key = keyOf(view.link, keys);
  return key !== undefined && keyAllowsLink(key.restrictions, view.link) ? view : { ...view, state: 'cancelled' };
}

/** Returns which of the accepted keys of a link's owner decides about it. */
export function keyOf({ keyId }: PaymentLink, keys: readonly OwnerKey[]): OwnerKey | undefined {
  return keys.find(({ id }) => id === keyId) ?? keys[0];
}

function unpaidState({ cancelledAt, expiresAt, settledAt }: PaymentLink, now: number): LinkState {
  if (cancelledAt !== null && cancelledAt < expiresAt) return 'cancelled';
  // The clock may have been set back since the link was settled.
  return settledAt !== null || now >= expiresAt.getTime() ? 'expired' : 'open';
}
