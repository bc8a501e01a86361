import type { AmountFault } from '../findings/finding-faults.ts';

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
  if (/^[0-9]*[.,][0-9]*$/.test(text)) return 'decimal_point';
  if (/^[0-9]+([.,][0-9]+)+$/.test(text)) return 'digit_grouping';
  if (/^[\p{Nd}.,]+$/u.test(text) && /[^0-9.,]/.test(text)) return 'not_ascii_digits';
  return 'not_a_number';
}
