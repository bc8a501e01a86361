import { payerAmount } from '../wire/words/amount-words.ts';

// Not a comma, which is the decimal sign of other countries: ISO 80000-1 groups digits by small spaces.
const groupSpace = '\u202f';

/** Writes an amount as payers read prices, its whole digits in groups from five on: `12 500.00`. */
export function groupedAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction] = payerAmount(amount, decimals).split('.');
  const grouped = whole.length < 5 ? whole : whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, groupSpace);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Writes an amount of a link's token, with the symbol of its mint if it has one. */
export function tokens(amount: bigint, token: { decimals: number; tokenSymbol: string | null }): string {
  return `${groupedAmount(amount, token.decimals)} ${unitOf(token)}`;
}

/** What amounts of a token are called: its symbol, or `tokens`. */
export function unitOf({ tokenSymbol }: { tokenSymbol: string | null }): string {
  return tokenSymbol?.trim() || 'tokens';
}
