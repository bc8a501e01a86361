import { type Finding, formatAmount } from 'splwright-core';
import { refusalOf } from '../app/validate.ts';
import { AppError, type DescribedFinding, isAppError } from '../problems.ts';
import { isTransferRefused, SimulationFailed } from '../transfers/transfer-refused.ts';
import { refusalOfSimulation } from '../transfers/transfer-reply.ts';
import { describeFinding } from '../transfers/words/finding-words.ts';
import type { LinkState } from './link-view.ts';
import { closedMessages, describeBounds, describeFindingToPayer, payerTokens } from './payer-words.ts';
import type { LinkPayment, PaymentLink } from './records/payment-link.ts';

const closedWords: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  paid: 'This payment link is already paid.',
  expired: 'This payment link has expired.',
  cancelled: 'This payment link was canceled.',
};

export class LinkClosed extends AppError {
  readonly state: keyof typeof closedWords;

  constructor(state: keyof typeof closedWords) {
    super('payment_link_closed', closedWords[state]);
    this.state = state;
  }
}

export function tooManyOpenLinks({ open, maxOpen }: { open: number; maxOpen: number }): AppError {
  return new AppError(
    'too_many_open_links',
    `This API key has ${open} open payment links, including those of the keys that it replaced; the limit is ${maxOpen}. Cancel some, or ` +
      'make links that expire sooner.',
  );
}

export function tooManyPayers(): AppError {
  return new AppError('overloaded', 'Too many payers ask for this payment link. Try again.', { retryAfterSeconds: 1 });
}

/** The refusal of a sponsored link whose first payment would create a token account of the recipient. */
export function rentNotSponsored(mint: string): AppError {
  const detail =
    `This API key may not have the sponsor pay rent, and the recipient has no token account of ${mint} yet. Have the recipient create it ` +
    'first, or ask the operator to allow it: keys update --sponsor-rent.';
  return new AppError('key_not_allowed', detail, {
    findings: [{ code: 'key_not_allowed', pointer: '/sponsored', detail }],
  });
}

/** The refusal of another payment while a payer has one that a sponsor has signed. `amount`: of that one, in base units. */
export function sponsoredPaymentOpen(link: PaymentLink, amount: bigint, secondsLeft: number): AppError {
  const open = payerTokens(amount, link);
  return new AppError(
    'sponsored_payment_open',
    `This payer was given a payment of ${open}, which can still land for about ${secondsLeft} s. Sign that one, or ask again then.`,
    { retryAfterSeconds: secondsLeft + 1 },
  ).forPayer(`Approve your request of ${open}, or try again in ${secondsLeft + 1} s.`);
}

export function keyEnded(): AppError {
  return new AppError('api_key_invalid', 'The API key is unknown, revoked or expired.');
}

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

export function linkPaid(signature: string): AppError {
  return new AppError('payment_link_paid', `The payment link is paid, by the transaction ${signature}.`);
}

export function refundNotPossible(detail: string): AppError {
  return new AppError('refund_not_possible', detail);
}

/** Amounts are base units; `left`: what refunds do not hold of the payment. */
export function refundTooLarge(
  { decimals }: PaymentLink,
  { received }: LinkPayment,
  { amount, left }: { amount: bigint; left: bigint },
): AppError {
  const [asked, arrived, rest] = [amount, received, left].map((each) => formatAmount(each, decimals));
  return new AppError(
    'refund_too_large',
    `The refund is ${asked} tokens. Of the ${arrived} that were received, ${rest} are not refunded and not held by a refund that may still land.`,
  );
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

/** Gives a refusal of a payment the words for its payer; every other error is returned as it is. */
export function refusalOfPayment(error: unknown, link: PaymentLink): unknown {
  if (isTransferRefused(error)) {
    const [first, ...others] = error.findings;
    const describe = (finding: Finding) => describeToPayer(finding, link);
    const refusal = refusalOf([describe(first), ...others.map(describe)]);
    return refusal.forPayer(describeFindingToPayer(first, link));
  }
  if (error instanceof SimulationFailed) return refusalOfSimulation(error);
  if (error instanceof LinkClosed) return error.forPayer(closedMessages[error.state]);
  if (isAppError(error, 'amount_out_of_bounds')) return error.forPayer(describeBounds(link));
  // Its pointers are those of the maker of the link.
  if (link.maxSponsorFee !== null && isAppError(error)) {
    return new AppError(error.code, error.message, { ...error, cause: error.cause, findings: [] });
  }
  return error;
}

// A payer has sent the account alone: the rest is the link's.
function describeToPayer(finding: Finding, { maxSponsorFee }: PaymentLink): DescribedFinding {
  const isOfPayer = finding.field === 'from' || (finding.field === 'feePayer' && maxSponsorFee === null);
  return { ...describeLinkFinding(finding), pointer: isOfPayer ? '/account' : '' };
}

/**
 * Describes a reason why a link cannot be paid.
 *
 * When the recipient demands a memo, the remedy is to set it on the link: payers send none.
 */
export function describeLinkFinding(finding: Finding, isOnSandbox = false): DescribedFinding {
  const described = describeFinding(finding, 'memo', { isOnSandbox, hasVersion1: false });
  if (finding.code !== 'recipient_requires_memo') return described;
  const { wallet, tokenAccount } = finding.context;
  const detail =
    `The token account ${tokenAccount} of ${wallet} requires a memo directly before each transfer, and the link has none. ` +
    'Set memo on the link.';
  return { ...described, pointer: '/memo', detail };
}
