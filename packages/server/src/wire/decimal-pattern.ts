/** The regular expression of the decimal digits of 1 to `max`, without a leading zero: of these and of nothing else. */
export function decimalPattern(max: bigint): string {
  const digits = max.toString();
  const alternatives = digits.length > 1 ? [`[1-9]${anyDigits(digits.length - 2, true)}`] : [];
  for (const [index, digit] of [...digits].entries()) {
    const lowest = index === 0 ? 1 : 0;
    const highest = Number(digit) - 1;
    if (highest < lowest) continue;
    alternatives.push(`${digits.slice(0, index)}[${lowest}-${highest}]${anyDigits(digits.length - index - 1)}`);
  }
  return [...alternatives, digits].join('|');
}

function anyDigits(count: number, orFewer = false): string {
  return count === 0 ? '' : `[0-9]{${orFewer ? '0,' : ''}${count}}`;
}
