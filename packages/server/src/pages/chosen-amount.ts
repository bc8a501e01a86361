/** The bounds of an amount that a payer chooses, in base units. */
export interface AmountBounds {
  minAmount: bigint;
  maxAmount: bigint;
  decimals: number;
}

/**
 * Reads an amount as people type it, a comma for the point included: its base units, or what is wrong with it in a sentence.
 *
 * The script of the page reads amounts in the same way (`browser/amount.js`).
 */
export function readChosenAmount(
  typed: string,
  { minAmount, maxAmount, decimals }: AmountBounds,
): { amount: bigint; fault?: undefined } | { amount?: undefined; fault: string } {
  const match = /^([0-9]{1,39})(?:[.,]([0-9]*))?$/.exec(typed.replaceAll(/\s/g, ''));
  if (!match) return { fault: 'Write the amount in digits, such as 12.50.' };
  const [, whole = '', typedFraction = ''] = match;
  const fraction = typedFraction.replace(/0+$/, '');
  if (fraction.length > decimals) {
    return { fault: decimals === 0 ? 'Whole amounts only.' : `At most ${decimals} digits after the point.` };
  }
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (amount < minAmount) return { fault: 'That is less than the recipient asks for.' };
  if (amount > maxAmount) return { fault: 'That is more than the recipient asks for.' };
  return { amount };
}
