import {
  type Address,
  type Finding,
  type FindingCode,
  type FindingContexts,
  isWrappedSol,
  leastReceived,
  shownAmount,
  sol,
  type TokensElsewhere,
  type TransferFeeTerms,
  type UiScale,
} from 'splwright-core';
import { groupDigits } from 'splwright-core/format-amount';
import { visibleText } from '../app/visible-text.ts';
import { describePercent, payerAmount } from '../outcomes/amount-words.ts';
import { type ProblemCode, problems, type SponsorFeeJson } from '../problems.ts';
import type { LinkState } from './link-view.ts';
import type { AmountBounds } from './page/chosen-amount.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** The token of a payment link, as texts for its payer name it. */
type PayerToken = Pick<PaymentLink, 'mint' | 'decimals' | 'tokenSymbol'> & Partial<Pick<PaymentLink, 'maxSponsorFee'>>;

/** The number of characters of a message that every wallet shows. */
export const maxPayerMessageLength = 80;

const maxSymbolLength = 12;

/** The token's name for payers: its symbol, with everything visible and not too long, or the ends of the mint's address. */
export function payerTokenName({ mint, tokenSymbol }: Pick<PayerToken, 'mint' | 'tokenSymbol'>): string {
  const symbol = [...visibleText(tokenSymbol?.trim().replaceAll(/\s+/g, ' ') ?? '')];
  if (symbol.length === 0) return endsOf(mint);
  return symbol.length > maxSymbolLength ? `${symbol.slice(0, maxSymbolLength - 1).join('')}…` : symbol.join('');
}

/** The beginning and the end of an address: `FeX3…jjvD`. */
export function endsOf(address: string): string {
  return `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** Returns an amount as payers read prices, its whole digits in groups from five on: `12 500.00`. */
export function groupedAmount(amount: bigint, decimals: number): string {
  return groupDigits(payerAmount(amount, decimals));
}

/** Returns an amount with the name of its token, exactly: `10.00 USDC`. */
export function payerTokens(amount: bigint, token: PayerToken): string {
  return `${groupedAmount(amount, token.decimals)} ${payerTokenName(token)}`;
}

const maxAmountLength = 17;
const significantDigits = 3;
const solDecimals = 9;

/** Returns an amount in at most 17 characters; one that does not fit is rounded up or down. */
function shortAmount(amount: bigint, decimals: number, rounding: 'up' | 'down'): string {
  const exact = groupedAmount(amount, decimals);
  if (exact.length <= maxAmountLength) return exact;
  const hundredths = decimals > 2 ? divide(amount, 10n ** BigInt(decimals - 2), rounding) : amount;
  const rounded = payerAmount(hundredths, Math.min(decimals, 2));
  if (hundredths >= 100n && rounded.length <= maxAmountLength) return rounded;
  const dropped = amount.toString().length - significantDigits;
  const digits = dropped > 0 ? divide(amount, 10n ** BigInt(dropped), rounding).toString() : amount.toString();
  const exponent = digits.length - 1 + Math.max(0, dropped) - decimals;
  return `${digits.slice(0, 1)}.${digits.slice(1, significantDigits).padEnd(2, '0')}e${exponent}`;
}

function divide(amount: bigint, by: bigint, rounding: 'up' | 'down'): bigint {
  return (amount + (rounding === 'up' ? by - 1n : 0n)) / by;
}

// To the wallet's own address: that moves them where its tokens belong.
function describeTokensElsewhere({ tokenAccount, amount }: TokensElsewhere, token: PayerToken): string {
  const has = `${shortAmount(amount, token.decimals, 'down')} ${payerTokenName(token)}`;
  const message = `Your ${has} is in ${endsOf(tokenAccount)}. Send it to yourself first.`;
  if (message.length <= maxPayerMessageLength) return message;
  return `Your tokens are in ${endsOf(tokenAccount)}. Send them to yourself first.`;
}

const sponsorAway = 'The network fee cannot be paid for you now. Try again later.';

// What is wrong and what to do, where the payer or the seller can do something about it.
const payerWords: {
  readonly [Code in FindingCode]?: (context: FindingContexts[Code], token: PayerToken) => string;
} = {
  insufficient_token_balance: (context, token) => {
    const { mint, available, amount, decimals, limitedBy, elsewhere } = context;
    if (elsewhere) return describeTokensElsewhere(elsewhere, token);
    const [has, needs] = [shortAmount(available, decimals, 'down'), shortAmount(amount, decimals, 'up')];
    if (isWrappedSol(mint) && limitedBy === 'balance') {
      return `You have ${has} wrapped SOL; this needs ${needs}. Wrap more.`;
    }
    const can = limitedBy === 'balance' ? 'have' : 'can send';
    return `You ${can} ${has} ${payerTokenName(token)}; this payment needs ${needs}.`;
  },
  insufficient_sol: ({ balance, networkFee, priorityFee, rent, sent, minimumBalance }, { maxSponsorFee = null }) => {
    if (maxSponsorFee !== null) return sponsorAway;
    const cost = networkFee + priorityFee + rent + sent;
    // With exactly the cost the wallet is left empty, which is allowed; between that and the minimum it is not.
    const needed = balance < cost ? cost : cost + minimumBalance;
    const [has, needs] = [shortAmount(balance, solDecimals, 'down'), shortAmount(needed, solDecimals, 'up')];
    if (sent > 0n) return `You have ${has} SOL; this payment needs ${needs} with its fee.`;
    return `You have ${has} SOL; the network fee needs ${needs} SOL.`;
  },
  sender_token_account_not_found: ({ mint, elsewhere }, token) => {
    if (elsewhere) return describeTokensElsewhere(elsewhere, token);
    return isWrappedSol(mint)
      ? 'You have no wrapped SOL. Wrap some of your SOL first, or use another wallet.'
      : `You have no ${payerTokenName(token)}. Get some first, or use another wallet.`;
  },
  sender_token_account_not_owned: (_, token) =>
    `Your ${payerTokenName(token)} account has another owner. Use another wallet.`,
  sender_token_account_frozen: (_, token) => `Your ${payerTokenName(token)} account is frozen. Use another wallet.`,
  sender_not_a_wallet: () => 'This address is not a wallet that can pay. Use another wallet.',
  fee_payer_not_a_wallet: () => 'This address is not a wallet that can pay. Use another wallet.',
  sender_off_curve: () => 'This address cannot sign. Pay with an ordinary wallet.',
  fee_payer_off_curve: () => 'This address cannot sign. Pay with an ordinary wallet.',
  same_wallet: () => 'This is the wallet being paid. Pay from another one.',
  invalid_address: () => 'The account that your wallet sent is not a Solana address.',
  invalid_amount: () => 'Choose an amount as decimal digits, such as 1.50.',
  amount_not_representable: (_, { decimals }) =>
    decimals === 0
      ? 'Choose a whole number: this token has no decimals.'
      : `Choose an amount with at most ${decimals} decimals.`,
  mint_paused: () => 'The issuer of this token has paused all transfers. Try again later.',
  recipient_token_account_frozen: () => "The seller's token account is frozen. Ask the seller for another way to pay.",
};

const findingsOfToken: ReadonlySet<FindingCode> = new Set([
  'mint_not_found',
  'not_a_mint',
  'mint_too_large',
  'mint_non_transferable',
  'transfer_hook_unresolvable',
  'transfer_hook_names_signer',
  'nothing_received',
]);

/** Tells a payer in at most 80 characters why the payment would not land, by the first of the reasons. */
export function describeFindingToPayer<Code extends FindingCode>(
  { code, context }: { code: Code; context: FindingContexts[Code] },
  token: PayerToken,
): string {
  const describe = payerWords[code];
  if (describe) return describe(context, token);
  if (findingsOfToken.has(code)) return 'This token cannot be sent now. Ask the seller for another way to pay.';
  const isOfRecipient = code.startsWith('recipient_') || code === 'new_token_account_would_be_frozen';
  return isOfRecipient
    ? 'This link cannot be paid now. Ask the seller for another way to pay.'
    : 'This link cannot be paid. Ask the seller for a new one.';
}

/** As `describeFindingToPayer`, for everyone who has the link: without what the wallet holds and where. */
export function describeFindingToOthers(finding: Finding, token: PayerToken): string {
  switch (finding.code) {
    case 'insufficient_token_balance':
      return `It has too little ${payerTokenName(token)}.`;
    case 'sender_token_account_not_found':
      return `It has no ${payerTokenName(token)}.`;
    case 'insufficient_sol':
      if (token.maxSponsorFee != null) return sponsorAway;
      return `It has too little SOL${token.mint === sol ? '' : ' for the network fee'}.`;
    default:
      return describeFindingToPayer(finding, token);
  }
}

/** Tells a payer why a link takes no payment, and what to do. */
export const closedMessages = {
  open: 'This link can no longer be paid. Ask the seller for a new one.',
  paid: 'This link has been paid. There is nothing more to pay.',
  expired: 'This link has expired. Ask the seller for a new one.',
  cancelled: 'This link was canceled. Ask the seller for a new one.',
} as const satisfies Record<LinkState, string>;

/** Tells a payer which amounts the link takes. */
export function describeBounds(link: PaymentLink): string {
  const [min, max] = [payerTokens(link.minAmount, link), payerTokens(link.maxAmount, link)];
  const message = min === max ? `This payment is ${min}.` : `Choose an amount from ${min} to ${max}.`;
  return message.length <= 80 ? message : 'Choose an amount within the bounds of this link.';
}

const busy = 'Too many requests. Wait a minute, then try again.';
const unreachable = 'The Solana network cannot be reached now. Try again in a minute.';
const problemMessages: Partial<Record<ProblemCode, string>> = {
  payment_link_not_found: 'There is no such payment link. Check it, or ask the seller for a new one.',
  payment_link_closed: closedMessages.open,
  payment_link_changed: 'The token of this link has changed. Ask the seller for a new link.',
  simulation_failed: 'This payment would fail now. Ask the seller for another way to pay.',
  payment_links_off: 'Payment links are switched off here. Ask the seller for another way to pay.',
  rate_limited: busy,
  overloaded: 'The service is busy. Wait a moment, then try again.',
  upstream_error: unreachable,
  upstream_unavailable: unreachable,
  upstream_timeout: unreachable,
  invalid_address: 'The account that your wallet sent is not a Solana address.',
  ...{ sponsor_unavailable: sponsorAway, sponsor_timeout: sponsorAway, sponsor_error: sponsorAway },
  ...{ sponsor_not_configured: sponsorAway, daily_limit_reached: sponsorAway, key_not_allowed: sponsorAway },
  sponsor_refused: 'The network fee of this payment will not be paid for you. Ask the seller.',
  sponsor_fee_too_high: 'The fee for this payment is too high now. Try again later.',
};

/** Tells a payer of a refusal that is not about the payment itself. */
export function describeProblemToPayer(code: ProblemCode): string {
  const own = problemMessages[code];
  if (own !== undefined) return own;
  return problems[code].status >= 500
    ? 'The payment service failed. Nothing was paid. Try again in a minute.'
    : 'Your wallet sent a request that we do not understand. Use another wallet.';
}

type DescribeAmount = (amount: bigint) => string;

/** Describes in a sentence what wallets show for a payment; `undefined` when they show its amount as it is. */
export function describeShownAmount(
  { minAmount, maxAmount, decimals }: AmountBounds,
  uiScale: UiScale | undefined,
  describe: DescribeAmount,
): string | undefined {
  if (uiScale === undefined) return undefined;
  const shown = rangeOf(minAmount, maxAmount, (amount) => describe(shownAmount(amount, decimals, uiScale)));
  const why = uiScale.growsWithTime ? 'adds interest to' : 'multiplies';
  const note = `Your wallet shows ${uiScale.growsWithTime ? 'about ' : ''}${shown} for the same payment: it ${why} amounts of this token.`;
  return minAmount === maxAmount ? note : `${note} Enter the amount as it is written here.`;
}

/** Describes in a sentence what the seller receives of a payment; `undefined` when the mint withholds nothing. */
export function describeFee(
  { minAmount, maxAmount }: AmountBounds,
  fees: readonly TransferFeeTerms[],
  describe: DescribeAmount,
): string | undefined {
  if (fees.length === 0) return undefined;
  const share = describePercent(Math.max(...fees.map(({ basisPoints }) => basisPoints)));
  const received = rangeOf(minAmount, maxAmount, (amount) => describe(leastReceived(amount, fees)));
  if (fees.length > 1) return describeReceived(`up to ${share}`, `at least ${received}`);
  const isCapped = fees.some((fee) => fee.maximumFee * 10_000n < maxAmount * BigInt(fee.basisPoints));
  return describeReceived(isCapped ? `up to ${share}` : share, received);
}

/** The warning about a recipient without any account on the chain, as a mistyped address has none. */
export const neverUsedNote =
  'The address being paid had never been used when this link was made. Check with the seller that it is right before you pay.';

export function describeReceived(withheld: string, received: string): string {
  return `The token withholds ${withheld}: the seller receives ${received}.`;
}

/** Who pays the network fee of a payment, what it gets of the payer's tokens, and for how long the transaction can land, about. */
export interface PaymentSponsor {
  sponsor: Address;
  fee: SponsorFeeJson | undefined;
  secondsLeft: number;
}

/** Says who pays the network fee of a payment, what that costs the payer, and when to ask again. */
export function describeSponsor(
  { sponsor, fee, secondsLeft }: PaymentSponsor,
  { tokenSymbol, mint }: PayerToken,
): string {
  const cost = fee ? `, and takes ${fee.amount.decimal} ${payerTokenName({ mint, tokenSymbol })} more from you` : '';
  return `${endsOf(sponsor)} pays the network fee${cost}. Approve within about ${secondsLeft} seconds; after that, ask again.`;
}

/** Says before a payment is asked for who pays its network fee; `undefined` where the payer does. */
export function describeSponsoring(link: PaymentLink): string | undefined {
  if (link.maxSponsorFee === null) return undefined;
  const cost =
    link.maxSponsorFee === 0n ? '' : ` and charges you at most ${payerTokens(link.maxSponsorFee, link)} on top`;
  return `You need no SOL: a sponsor pays the network fee${cost}.`;
}

/** Says that SOL of the payer is wrapped for the payment. */
export function describeWrap(lamports: bigint): string {
  return `It first wraps ${groupedAmount(lamports, solDecimals)} of your SOL.`;
}

/** Warns of earlier requests of a payer for other amounts, which can still be approved; `undefined` where there are none. */
export function describeOpenAmounts(amounts: readonly string[]): string | undefined {
  if (amounts.length === 0) return undefined;
  return `Reject your earlier request of ${amounts.join(' and of ')} in your wallet: both could be paid.`;
}

function rangeOf(min: bigint, max: bigint, describe: DescribeAmount): string {
  return min === max ? describe(min) : `${describe(min)} to ${describe(max)}`;
}
