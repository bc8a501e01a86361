import { payerAmount } from '../wire/words/amount-words.ts';

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

/** The bounds of an amount that a payer chooses, in base units. */
export interface AmountBounds {
  minAmount: bigint;
  maxAmount: bigint;
  decimals: number;
}

/** What a text may mean: the digits before and after the decimal mark, without zeros that say nothing. */
interface Reading {
  whole: string;
  fraction: string;
}

// Digits in groups of three, by one mark throughout, and a decimal mark that is another one.
const grouped =
  /^(?<whole>(?=0*[1-9])[0-9]{1,3}(?<mark>[.,'’ ])[0-9]{3}(?:\k<mark>[0-9]{3}){0,11})(?:(?!\k<mark>)[.,](?<fraction>[0-9]*))?$/;
const plain = /^(?<whole>[0-9]{1,39})(?:[.,](?<fraction>[0-9]*))?$/;

/**
 * Reads an amount as people type it: its base units, or what is wrong with it in a sentence.
 *
 * What can be read in two ways, as 1,000 and 1.000 can, is never taken: the sentence has both readings, and how to type each. The script of
 * the page reads amounts in the same way (`browser/amount-field.js`).
 */
export function readChosenAmount(
  typed: string,
  { minAmount, maxAmount, decimals }: AmountBounds,
): { amount: bigint; fault?: undefined } | { amount?: undefined; fault: string } {
  const text = typed.trim().replaceAll(/\s/g, ' ');
  const readings = [grouped, plain].flatMap((form) => readingOf(form.exec(text)?.groups));
  const [reading, other] = readings;
  if (!reading) return { fault: 'Write the amount in digits, such as 12.50.' };
  if (other) {
    const ways = readings
      .filter(({ fraction }) => fraction.length <= decimals)
      .map(decimal)
      .map(unmistakable);
    return { fault: `${text} can mean ${decimal(reading)} or ${decimal(other)}. Type ${ways.join(' or ')}.` };
  }
  const { whole, fraction } = reading;
  if (fraction.length > decimals) {
    return { fault: decimals === 0 ? 'Whole amounts only.' : `At most ${decimals} digits after the point.` };
  }
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (amount < minAmount) return { fault: 'That is less than the recipient asks for.' };
  if (amount > maxAmount) return { fault: 'That is more than the recipient asks for.' };
  return { amount };
}

/** Returns an amount as prices are written, so that `readChosenAmount` reads it as this amount: `1.50`, but `1.2340` for 1.234. */
export function typedAmountOf(amount: bigint, decimals: number): string {
  return unmistakable(payerAmount(amount, decimals));
}

function readingOf(groups: Record<string, string> | undefined): readonly Reading[] {
  if (!groups) return [];
  const { whole = '', fraction = '' } = groups;
  return [{ whole: `${BigInt(whole.replaceAll(/[^0-9]/g, ''))}`, fraction: fraction.replace(/0+$/, '') }];
}

function decimal({ whole, fraction }: Reading): string {
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** With a zero after three digits, which could be a group. */
function unmistakable(text: string): string {
  return /\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}
