import type { AmountFault, BaseUnitFault, DecimalAmountFault } from '../findings/finding-faults.ts';

/** The largest amount a token program can move: it counts base units in a u64. */
export const maxAmount = 2n ** 64n - 1n;

/** Parses base units: decimal digits, 1 to 2^64-1, with nothing around them. Says which rule a text breaks. */
export function parseAmount(text: string): { amount: bigint } | { fault: AmountFault } {
  if (!/^[1-9][0-9]{0,19}$/.test(text)) return { fault: explainAmount(text) };
  const amount = BigInt(text);
  return amount > maxAmount ? { fault: 'too_large' } : { amount };
}

function explainAmount(text: string): AmountFault {
  if (text === '') return 'empty';
  if (/\s/.test(text)) return 'white_space';
  if (/^[1-9][0-9]*$/.test(text)) return 'too_large';
  if (/^0+$/.test(text)) return 'zero';
  if (/^0[0-9]+$/.test(text)) return 'leading_zero';
  if (/^[+-]/.test(text)) return 'sign';
  if (/^0[xXbBoO]/.test(text)) return 'not_decimal_base';
  if (/^[0-9.]+[eE][+-]?[0-9]+$/.test(text)) return 'exponent';
  if (/^[0-9]{1,3}([,_'][0-9]{3})+/.test(text)) return 'digit_grouping';
  if (/^[0-9]*\.[0-9]*$/.test(text)) return 'decimal_point';
  if (/^[0-9]*,[0-9]*$/.test(text)) return 'decimal_comma';
  if (/^[0-9]+([.,][0-9]+)+$/.test(text)) return 'digit_grouping';
  if (/^[\p{Nd}.,]+$/u.test(text) && /[^0-9.,]/.test(text)) return 'not_ascii_digits';
  return 'not_a_number';
}

/** A number of whole tokens, as exact decimal digits: 1.5 is `digits` 15 with one fraction digit. */
export interface DecimalAmount {
  digits: bigint;
  fractionDigits: number;
}

// No more digits than a mint can use: 2^64 - 1 has 20, and decimals are counted in a byte.
const maxTextLength = 20 + 1 + 255;

/** Parses decimal text of whole tokens, such as "1.5": digits, and a point with more digits if need be. More than zero. */
export function parseDecimalAmount(text: string): { amount: DecimalAmount } | { fault: DecimalAmountFault } {
  const match = text.length <= maxTextLength ? /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text) : null;
  if (!match) return { fault: explainDecimal(text) };
  const [, whole = '', fraction = ''] = match;
  const digits = BigInt(whole + fraction);
  return digits === 0n ? { fault: 'zero' } : { amount: { digits, fractionDigits: fraction.length } };
}

/** An amount that a caller names: base units, or a number of whole tokens. */
export type NamedAmount = bigint | DecimalAmount;

/** What a transfer asks for: what is sent, or what must arrive of it, or that all is sent that can be. */
export type AskedAmount = NamedAmount | { received: NamedAmount } | 'max';

/** Returns whether a request names what is sent. */
export function isNamedAmount(amount: AskedAmount): amount is NamedAmount {
  return typeof amount === 'bigint' || (amount !== 'max' && 'digits' in amount);
}

/** Returns the value of a request that has its amount. */
export function amountFieldOf(
  amount: AskedAmount,
): 'amount' | 'amountDecimal' | 'amountReceived' | 'amountReceivedDecimal' {
  if (typeof amount === 'bigint' || amount === 'max') return 'amount';
  if ('digits' in amount) return 'amountDecimal';
  return typeof amount.received === 'bigint' ? 'amountReceived' : 'amountReceivedDecimal';
}

/** Returns the base units of an amount in a mint of `decimals`, or why it has none. */
export function toBaseUnits(
  { digits, fractionDigits }: DecimalAmount,
  decimals: number,
): { baseUnits: bigint } | { fault: BaseUnitFault } {
  if (fractionDigits > decimals) return { fault: { kind: 'too_many_digits', fractionDigits } };
  return withinMax(digits * 10n ** BigInt(decimals - fractionDigits));
}

/** Returns base units, or the fault of more than a token program can move. */
export function withinMax(baseUnits: bigint): { baseUnits: bigint } | { fault: BaseUnitFault } {
  return baseUnits > maxAmount ? { fault: { kind: 'too_large', max: maxAmount } } : { baseUnits };
}

/** Returns the base units of an amount that is given in base units, or as a number of whole tokens of a mint of `decimals`. */
export function resolveAmount(amount: NamedAmount, decimals: number): { baseUnits: bigint } | { fault: BaseUnitFault } {
  return typeof amount === 'bigint' ? { baseUnits: amount } : toBaseUnits(amount, decimals);
}

function explainDecimal(text: string): DecimalAmountFault {
  if (text === '') return 'empty';
  if (text.length > maxTextLength) return 'too_long';
  if (/\s/.test(text)) return 'white_space';
  if (/^[+-]/.test(text)) return 'sign';
  if (/^[0-9.]+[eE][+-]?[0-9]+$/.test(text)) return 'exponent';
  if (/^0[0-9]+(\.[0-9]*)?$/.test(text)) return 'leading_zero';
  if (/^[0-9]*\.[0-9]*$/.test(text)) return 'incomplete_point';
  if (/^[0-9]+,[0-9]*$/.test(text)) return 'decimal_comma';
  if (/^[0-9]{1,3}([,_'.][0-9]{3})+/.test(text)) return 'digit_grouping';
  if (/^[\p{Nd}.,]+$/u.test(text) && /[^0-9.,]/.test(text)) return 'not_ascii_digits';
  return 'not_a_number';
}
