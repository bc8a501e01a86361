import { qrSvg } from '../../app/pages/qr-code.ts';
import { visibleText } from '../../app/visible-text.ts';
import { payerAmount } from '../../outcomes/amount-words.ts';
import { type LinkState, type LinkView, viewIn } from '../link-view.ts';
import { describeFee, describeShownAmount, describeSponsoring, groupedAmount, neverUsedNote } from '../payer-words.ts';
import type { RecentRefusal } from '../recent-refusals.ts';
import { inToken, type LinkPayment, type PaymentLink } from '../records/payment-link.ts';
import { unmistakable } from './chosen-amount.ts';

/** The state of a link as a payer needs it. */
export interface PayWords {
  /**
   * Which parts of the page are shown: `sent` where no node shows yet what arrived, `taken` where another has paid first, `flawed` where
   * the payment does not count.
   */
  phase: 'open' | 'sent' | 'confirmed' | 'final' | 'taken' | 'flawed' | 'expired' | 'cancelled';
  title: string;
  message: string;
  /** The payment that the words are about. */
  payment: LinkPayment | undefined;
}

/** The body of `/pay/{id}/state`. */
export interface PayState extends Omit<PayWords, 'payment'> {
  state: LinkState;
  is_final: boolean;
  /** The amounts as wallets show them, and those that arrive, where these are other numbers. */
  notes: string[];
  /** The payment that the words are about; amounts in whole tokens. Of one with a flaw the page goes on showing what is due. */
  receipt:
    | (Pick<LinkPayment, 'payer' | 'signature' | 'commitment'> & { amount?: string; unit?: string; received: string })
    | null;
  /** Why a wallet was refused a payment of an open link in the last minutes. */
  refused: (Omit<RecentRefusal, 'at'> & { at: string }) | null;
}

const flawWords: Readonly<Record<Exclude<NonNullable<LinkPayment['flaw']>, 'not_shown'>, string>> = {
  too_little: 'It paid less than the amount due.',
  elsewhere: 'It went to a different account.',
  other_mint: 'It paid in a different token.',
  other_link: 'It pays for something else, such as another payment link.',
  nothing_stayed: 'The seller kept none of it: it was taken back, or the token withheld all of it.',
  no_transfer: 'It paid nothing.',
};

/**
 * Describes the state of a link to a payer.
 *
 * `signature`: of a transaction that this payer sent. Once it is on chain, the description is about that payment.
 */
export function describePayState(view: LinkView, signature?: string): PayWords {
  const own = signature === undefined ? undefined : view.payments.find((each) => each.signature === signature);
  if (own?.flaw === 'not_shown') return unseenWords;
  if (own?.flaw !== undefined) return flawedWords(own, own.flaw);
  const first = view.link.isSingleUse ? view.payments.find(({ flaw }) => flaw === undefined) : undefined;
  if (first !== undefined && signature !== undefined && own !== first) return takenWords(first, own);
  if (own !== undefined) return paidWords(own, `You paid ${tokens(own.amount, tokenPaid(view.link, own))}`);
  if (first !== undefined) return paidWords(first, 'Paid');
  return { ...unpaidWords[view.state](view), payment: undefined };
}

/**
 * Describes what wallets show for the amounts of the page, and what the seller receives of a payment that is still to be made.
 *
 * `payment`: the one that the page is about.
 */
export function describeAmounts(view: LinkView, payment: LinkPayment | undefined): readonly string[] {
  const { link, uiScale } = (payment && viewIn(view, payment.mint)) ?? view;
  if (payment?.flaw !== undefined) return [];
  const describe = (amount: bigint) => tokens(amount, link);
  const amounts = payment ? { ...link, minAmount: payment.amount, maxAmount: payment.amount } : link;
  const notes = [describeShownAmount(amounts, uiScale, describe)];
  if (!payment) notes.push(describeFee(link, link.transferFees, describe));
  if (!payment) notes.push(describeSponsoring(link));
  if (!payment && link.wasRecipientNeverUsed) notes.push(neverUsedNote);
  return notes.filter((note) => note !== undefined);
}

/** A link in the token that was paid. */
export function tokenPaid(link: PaymentLink, { mint }: LinkPayment): PaymentLink {
  return inToken(link, mint) ?? link;
}

function paidWords(payment: LinkPayment, title: string): PayWords {
  const isFinal = payment.commitment === 'finalized';
  return {
    phase: isFinal ? 'final' : 'confirmed',
    title,
    message: isFinal
      ? 'The payment is final. There is nothing left to do.'
      : 'Confirmed by the network. Final in a few seconds.',
    payment,
  };
}

function takenWords(first: LinkPayment, own: LinkPayment | undefined): PayWords {
  const message = own
    ? 'Another payment arrived before yours, and this link takes only one. Ask the recipient to return yours.'
    : 'Another payment arrived first, and this link takes only one. If yours goes through as well, ask the recipient to return it.';
  return { phase: 'taken', title: 'Already paid by someone else', message, payment: own ?? first };
}

// It may turn out to count.
const unseenWords: PayWords = {
  phase: 'sent',
  title: 'Payment sent',
  message: 'The network does not show yet how much arrived. Do not pay again: this page will show it.',
  payment: undefined,
};

function flawedWords(payment: LinkPayment, flaw: keyof typeof flawWords): PayWords {
  const message = `${flawWords[flaw]} Ask the recipient what to do.`;
  return { phase: 'flawed', title: 'Your payment does not count', message, payment };
}

const unpaidWords: Readonly<Record<LinkState, (view: LinkView) => Omit<PayWords, 'payment'>>> = {
  open: () => ({
    phase: 'open',
    title: 'Pay with a Solana wallet',
    message: 'Use a wallet on this device or on your phone.',
  }),
  // Only while the payments are being read again.
  paid: () => ({ phase: 'confirmed', title: 'Paid', message: 'This link has been paid.' }),
  expired: ({ isFinal }) => ({
    phase: 'expired',
    title: 'This payment link has expired',
    message: `Ask the recipient for a new one.${isFinal ? '' : ' If you have just paid, keep this page open: it will show a payment that still arrives.'}`,
  }),
  cancelled: ({ isFinal }) => ({
    phase: 'cancelled',
    title: 'This payment link was canceled',
    message: `The recipient has withdrawn it. Do not pay it.${isFinal ? '' : ' If you have just paid, keep this page open: it will show a payment that still arrives.'}`,
  }),
};

/** The state of a link for its page; with a signature, in terms of the payment that it belongs to. */
export function payState(view: LinkView, signature?: string, refusal?: RecentRefusal): PayState {
  const { phase, title, message, payment } = describePayState(view, signature);
  const link = payment ? tokenPaid(view.link, payment) : view.link;
  // What this payer has sent may still arrive, also where another payment is final.
  const isAwaited = signature !== undefined && payment?.signature !== signature;
  // A link that can be paid again goes on, but this payment does not.
  const isOver = view.isFinal || payment?.commitment === 'finalized';
  const isFinal = isAwaited ? view.link.settledAt !== null : isOver;
  return {
    state: view.state,
    is_final: isFinal,
    phase,
    title: visibleText(title),
    message: visibleText(message),
    notes: describeAmounts(view, payment).map(visibleText),
    receipt: payment
      ? {
          ...(payment.flaw === undefined && {
            amount: groupedAmount(payment.amount, link.decimals),
            unit: visibleText(unitOf(link, groupedAmount(payment.amount, link.decimals))),
          }),
          // Its amount would read as one of the token that the link asks for.
          received: payment.flaw === 'other_mint' ? 'Another token' : visibleText(tokens(payment.received, link)),
          payer: payment.payer,
          signature: payment.signature,
          commitment: payment.commitment,
        }
      : null,
    refused: refusal && phase === 'open' ? { ...refusal, at: refusal.at.toISOString() } : null,
  };
}

/** Returns an amount of a link's token, with the symbol of its mint if it has one. */
export function tokens(amount: bigint, token: { decimals: number; tokenSymbol: string | null }): string {
  const text = groupedAmount(amount, token.decimals);
  return `${text} ${unitOf(token, text)}`;
}

/** Returns the unit of an amount as it is written: the token's symbol, or `tokens`; without an amount, of several. */
export function unitOf({ tokenSymbol }: { tokenSymbol: string | null }, amount?: string): string {
  return tokenSymbol?.trim() || (amount === '1' ? 'token' : 'tokens');
}

/** Returns an amount as prices are written, so that `readChosenAmount` reads it as this amount: `1.50`, but `1.2340` for 1.234. */
export function typedAmountOf(amount: bigint, decimals: number): string {
  return unmistakable(payerAmount(amount, decimals));
}

/** The text in the QR code of a payment, and its image. */
interface PayCode {
  text: string;
  svg: string;
}

/**
 * The QR code of a payment: a Solana Pay transaction request.
 *
 * A link that leaves the amount open has it in the query, and its URL is then percent-encoded, as Solana Pay wants.
 */
export function payCode(
  url: string,
  link: { minAmount: bigint; maxAmount: bigint; decimals: number },
  amount: bigint,
): PayCode {
  const isFixed = link.minAmount === link.maxAmount;
  const text = isFixed
    ? `solana:${url.includes('?') ? encodeURIComponent(url) : url}`
    : `solana:${encodeURIComponent(`${url}?amount=${payerAmount(amount, link.decimals)}`)}`;
  return { text, svg: qrSvg(text) };
}
