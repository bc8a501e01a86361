import { formatAmount } from 'splwright-core';
import { AppError } from '../problems.ts';
import type { LinkState } from './link-view.ts';
import type { PaymentLink } from './records/payment-link.ts';

const closedWords: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  paid: 'This payment link is already paid.',
  expired: 'This payment link has expired.',
  cancelled: 'This payment link was canceled.',
};

/** The refusal of a payment to a link that is closed. */
export class LinkClosed extends AppError {
  readonly state: keyof typeof closedWords;

  constructor(state: keyof typeof closedWords) {
    super('payment_link_closed', closedWords[state]);
    this.state = state;
  }
}

/** The refusal of a link because its key, with those that it replaced, has as many open ones as it may. */
export function tooManyOpenLinks({ open, maxOpen }: { open: number; maxOpen: number }): AppError {
  return new AppError(
    'too_many_open_links',
    `This API key has ${open} open payment links, those of the keys that it replaced included, and may have ${maxOpen}. Cancel some, or ` +
      'make links that expire sooner.',
  );
}

/** The refusal of a payer for whom no turn came. */
export function tooManyPayers(): AppError {
  return new AppError('overloaded', 'Too many payers ask for this payment link. Try again.', { retryAfterSeconds: 1 });
}

/** The refusal of a link whose API key has ended since the request was accepted. */
export function keyEnded(): AppError {
  return new AppError('api_key_invalid', 'The API key is unknown, revoked or expired.');
}

/** The refusal of a payment in a token that is not what it was when the link was made. */
export function tokenChanged({ mint }: PaymentLink): AppError {
  return new AppError('payment_link_changed', `The mint ${mint} has changed since this payment link was made.`);
}

/** The refusal of a payment because the mint withholds more than when the link was made. Amounts are base units. */
export function feeRaised({ mint, decimals }: PaymentLink, promised: bigint, arrives: bigint): AppError {
  return new AppError(
    'payment_link_changed',
    `The mint ${mint} withholds more than when this payment link was made: the link promises that ` +
      `${formatAmount(promised, decimals)} tokens arrive, and ${formatAmount(arrives, decimals)} would. Ask the seller for a new link.`,
  );
}

/** The refusal to cancel a link that is paid. */
export function linkPaid(signature: string): AppError {
  return new AppError('payment_link_paid', `The payment link is paid, by the transaction ${signature}.`);
}

/** The refusal of an amount that a link does not take; `amount` is undefined if none was sent. */
export function amountOutOfBounds(
  link: Pick<PaymentLink, 'minAmount' | 'maxAmount' | 'decimals'>,
  amount: bigint | undefined,
): AppError {
  const { minAmount, maxAmount } = link;
  const words = (value: bigint) => formatAmount(value, link.decimals);
  const bounds = minAmount === maxAmount ? `just ${words(minAmount)}` : `${words(minAmount)} to ${words(maxAmount)}`;
  const given = amount === undefined ? 'No amount was chosen' : `The amount is ${words(amount)}`;
  return new AppError('amount_out_of_bounds', `${given}, and the payment link takes ${bounds}.`);
}
