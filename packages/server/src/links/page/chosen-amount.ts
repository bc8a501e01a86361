import { describeHidden } from '../../app/visible-text.ts';

/** The bounds of an amount that a payer chooses, in base units. */
export interface AmountBounds {
  minAmount: bigint;
  maxAmount: bigint;
  decimals: number;
}

/** Bounds, also as the payer reads them: `1.00 USDC`. */
interface ReadBounds extends AmountBounds {
  least: string;
  most: string;
}

/** An amount in base units and as decimal text of whole tokens, or why there is none. */
type ChosenAmount =
  | { amount: bigint; decimalText: string; fault?: undefined }
  | { amount?: undefined; decimalText?: undefined; fault: string };

/** One meaning of a text: the digits before and after the decimal mark, without zeros that say nothing. */
interface Reading {
  whole: string;
  fraction: string;
}

// Digits in groups of three, by one mark throughout, and a decimal mark that is another one.
const grouped =
  /^(?<whole>(?=0*[1-9])[0-9]{1,3}(?<mark>[.,'’ ])[0-9]{3}(?:\k<mark>[0-9]{3}){0,11})(?:(?!\k<mark>)[.,](?<fraction>[0-9]*))?$/;
const plain = /^(?<whole>[0-9]{1,39})(?:[.,](?<fraction>[0-9]*))?$/;

/**
 * Reads an amount as people type it: its base units and the same as decimal text, or what is wrong with it in a sentence.
 *
 * What can be read in two ways, as 1,000 and 1.000 can, is never taken: the sentence has both readings, and how to type each. The service
 * and the scripts of the pages read amounts by this function.
 */
export function readChosenAmount(typed: string, bounds: ReadBounds): ChosenAmount {
  const { minAmount, maxAmount, decimals, least, most } = bounds;
  const text = typed.trim().replaceAll(/\s/g, ' ');
  const readings = [grouped, plain].flatMap((form) => readingOf(form.exec(text)?.groups));
  const [reading, other] = readings;
  if (!reading) {
    const hidden = describeHidden(text);
    return { fault: hidden ? `The amount ${hidden}.` : 'Enter the amount in digits, such as 12.50.' };
  }
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
  if (amount < minAmount) return { fault: `At least ${least}.` };
  if (amount > maxAmount) return { fault: `At most ${most}.` };
  return { amount, decimalText: decimal(reading) };
}

function readingOf(groups: Record<string, string> | undefined): readonly Reading[] {
  if (!groups) return [];
  const { whole = '', fraction = '' } = groups;
  return [{ whole: `${BigInt(whole.replaceAll(/[^0-9]/g, ''))}`, fraction: fraction.replace(/0+$/, '') }];
}

function decimal({ whole, fraction }: Reading): string {
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Returns decimal text with a zero after three digits, which could be a group: `1.2340`. */
export function unmistakable(text: string): string {
  return /\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}
