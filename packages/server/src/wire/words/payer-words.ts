import { type FindingCode, type FindingContexts, isWrappedSol, type TokensElsewhere } from 'splwright-core';
import { payerAmount } from './amount-words.ts';
import { visibleText } from './visible-text.ts';

/** The token of a payment link, as far as words for its payer need it. */
export interface PayerToken {
  mint: string;
  decimals: number;
  /** As the mint carries it. */
  tokenSymbol: string | null;
}

/** Wallets show at least so many characters of a message. */
export const maxPayerMessageLength = 80;

const maxSymbolLength = 12;

/** What a payer calls the token: its symbol, with everything visible and not too long, or the ends of the mint's address. */
export function payerTokenName({ mint, tokenSymbol }: Pick<PayerToken, 'mint' | 'tokenSymbol'>): string {
  const symbol = [...visibleText(tokenSymbol?.trim().replaceAll(/\s+/g, ' ') ?? '')];
  if (symbol.length === 0) return endsOf(mint);
  return symbol.length > maxSymbolLength ? `${symbol.slice(0, maxSymbolLength - 1).join('')}…` : symbol.join('');
}

function endsOf(address: string): string {
  return `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** Writes an amount with its token, exactly: `10.00 USDC`. */
export function payerTokens(amount: bigint, token: PayerToken): string {
  return `${payerAmount(amount, token.decimals)} ${payerTokenName(token)}`;
}

const maxAmountLength = 17;
const significantDigits = 3;
const solDecimals = 9;

/** Writes an amount in at most 17 characters; what does not fit is rounded up, or down. */
function shortAmount(amount: bigint, decimals: number, rounding: 'up' | 'down'): string {
  const exact = payerAmount(amount, decimals);
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

const askSellerMessage = 'This link cannot be paid now. Ask the seller for another way.';
const unpayableToken = 'This token cannot be sent now. Ask the seller for another way.';
const notThePayers = 'This link cannot be paid. Ask the seller for a new one.';

// To the wallet's own address: that moves them where its tokens belong.
function isElsewhere({ tokenAccount, amount }: TokensElsewhere, token: PayerToken): string {
  const has = `${shortAmount(amount, token.decimals, 'down')} ${payerTokenName(token)}`;
  const message = `Your ${has} is in ${endsOf(tokenAccount)}. Send it to yourself first.`;
  if (message.length <= maxPayerMessageLength) return message;
  return `Your tokens are in ${endsOf(tokenAccount)}. Send them to yourself first.`;
}

/** What a payer is told about each finding: what is wrong and what to do, in at most 80 characters. */
export const payerWords: {
  readonly [Code in FindingCode]: (context: FindingContexts[Code], token: PayerToken) => string;
} = {
  insufficient_token_balance: (context, token) => {
    const { mint, available, amount, decimals, limitedBy, elsewhere } = context;
    if (elsewhere) return isElsewhere(elsewhere, token);
    const [has, needs] = [shortAmount(available, decimals, 'down'), shortAmount(amount, decimals, 'up')];
    if (isWrappedSol(mint) && limitedBy === 'balance') {
      return `You have ${has} wrapped SOL; this needs ${needs}. Wrap more.`;
    }
    const can = limitedBy === 'balance' ? 'have' : 'can send';
    return `You ${can} ${has} ${payerTokenName(token)}; this payment needs ${needs}.`;
  },
  insufficient_sol: ({ balance, networkFee, priorityFee, rent, minimumBalance }) => {
    const cost = networkFee + priorityFee + rent;
    // With exactly the cost the wallet is left empty, which is allowed; between that and the minimum it is not.
    const needed = balance < cost ? cost : cost + minimumBalance;
    const [has, needs] = [shortAmount(balance, solDecimals, 'down'), shortAmount(needed, solDecimals, 'up')];
    return `You have ${has} SOL; the network fee needs ${needs} SOL.`;
  },
  sender_token_account_not_found: ({ mint, elsewhere }, token) => {
    if (elsewhere) return isElsewhere(elsewhere, token);
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
  same_wallet: () => 'This is the wallet that is to be paid. Pay from another one.',
  invalid_address: () => 'The account that your wallet sent is not a Solana address.',
  invalid_amount: () => 'Choose an amount as decimal digits, such as 1.50.',
  amount_not_representable: (_, { decimals }) =>
    decimals === 0
      ? 'Choose a whole number: this token has no decimals.'
      : `Choose an amount of at most ${decimals} decimals.`,
  mint_paused: () => 'The issuer of this token has paused all transfers. Try again later.',
  mint_not_found: () => unpayableToken,
  not_a_mint: () => unpayableToken,
  mint_too_large: () => unpayableToken,
  mint_non_transferable: () => unpayableToken,
  transfer_hook_unresolvable: () => unpayableToken,
  recipient_token_account_not_found: () => askSellerMessage,
  recipient_token_account_not_owned: () => askSellerMessage,
  recipient_token_account_frozen: () => "The seller's token account is frozen. Ask the seller for another way.",
  recipient_refuses_public_credits: () => askSellerMessage,
  new_token_account_would_be_frozen: () => askSellerMessage,
  recipient_requires_memo: () => askSellerMessage,
  recipient_is_token_account: () => askSellerMessage,
  recipient_is_mint: () => askSellerMessage,
  recipient_is_program: () => askSellerMessage,
  recipient_multisig_of_other_program: () => askSellerMessage,
  recipient_not_a_wallet: () => askSellerMessage,
  recipient_off_curve: () => askSellerMessage,
  invalid_value: () => notThePayers,
  invalid_memo: () => notThePayers,
  memo_too_long: () => notThePayers,
  memo_too_costly: () => notThePayers,
  layout_conflict: () => notThePayers,
  layout_not_possible: () => notThePayers,
  nonce_account_not_found: () => notThePayers,
  not_a_nonce_account: () => notThePayers,
  nonce_account_not_initialized: () => notThePayers,
  nonce_authority_not_a_signer: () => notThePayers,
  nothing_received: () => unpayableToken,
  nonce_for_several_transactions: () => notThePayers,
  priority_fee_too_high: () => notThePayers,
  transaction_too_large: () => notThePayers,
  transaction_too_costly: () => notThePayers,
};
