import { qrSvg } from '../../app/pages/qr-code.ts';
import { payerAmount } from '../../outcomes/amount-words.ts';
import { unmistakable } from './chosen-amount.ts';

// Not a comma, which is the decimal sign of other countries: ISO 80000-1 groups digits by small spaces.
const groupSpace = '\u202f';

/** Returns an amount as payers read prices, its whole digits in groups from five on: `12 500.00`. */
export function groupedAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction] = payerAmount(amount, decimals).split('.');
  const grouped = whole.length < 5 ? whole : whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, groupSpace);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Returns an amount of a link's token, with the symbol of its mint if it has one. */
export function tokens(amount: bigint, token: { decimals: number; tokenSymbol: string | null }): string {
  const text = groupedAmount(amount, token.decimals);
  return `${text} ${unitOf(token, text)}`;
}

/** What an amount of a token, as it is written, is called: the token's symbol, or `tokens`; without an amount, amounts of it. */
export function unitOf({ tokenSymbol }: { tokenSymbol: string | null }, amount?: string): string {
  return tokenSymbol?.trim() || (amount === '1' ? 'token' : 'tokens');
}

/** Returns an amount as prices are written, so that `readChosenAmount` reads it as this amount: `1.50`, but `1.2340` for 1.234. */
export function typedAmountOf(amount: bigint, decimals: number): string {
  return unmistakable(payerAmount(amount, decimals));
}

/** What the QR code of a payment holds, and its image. */
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
    ? `solana:${url}`
    : `solana:${encodeURIComponent(`${url}?amount=${payerAmount(amount, link.decimals)}`)}`;
  return { text, svg: qrSvg(text) };
}
