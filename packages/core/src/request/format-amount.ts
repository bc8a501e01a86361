/** Writes base units as decimal text: `formatAmount(1500000n, 6)` is `1.5`. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

// Not a comma, which is the decimal sign of other countries: ISO 80000-1 groups digits by small spaces.
const groupSpace = '\u202f';

/** Returns a decimal number with its whole digits in groups, from five on: `12 500.00`. */
export function groupDigits(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.length < 5 ? whole : whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, groupSpace);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
