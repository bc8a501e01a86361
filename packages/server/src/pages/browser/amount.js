/**
 * Reads an amount as people type it, a comma for the point included: the same as decimal text, or what is wrong with it.
 * @param {string} typed
 * @param {{ min: bigint, max: bigint, decimals: number }} bounds
 * @returns {{ amount: string, fault?: undefined } | { amount?: undefined, fault: string }}
 */
export function readAmount(typed, { min, max, decimals }) {
  const match = /^([0-9]{1,39})(?:[.,]([0-9]*))?$/.exec(typed.replaceAll(/\s/g, ''));
  if (!match) return { fault: 'Write the amount in digits, such as 12.50.' };
  const [, whole = '', typedFraction = ''] = match;
  const fraction = typedFraction.replace(/0+$/, '');
  if (fraction.length > decimals) {
    return { fault: decimals === 0 ? 'Whole amounts only.' : `At most ${decimals} digits after the point.` };
  }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (units < min) return { fault: 'That is less than the recipient asks for.' };
  if (units > max) return { fault: 'That is more than the recipient asks for.' };
  return { amount: `${BigInt(whole)}${fraction && `.${fraction}`}` };
}
