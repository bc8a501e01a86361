import type { DescribedFinding } from '../problems.ts';

/** Whether a field was sent; its value is `undefined` where it was sent with a wrong type. */
export function isSent(values: object, name: string): boolean {
  return Object.hasOwn(values, name);
}

/**
 * Returns a finding unless exactly one of `amount` and `amount_decimal` was sent.
 *
 * `at`: the JSON pointer to the object that has them; empty for the body.
 */
export function findAmountFaults(values: object, at = ''): readonly DescribedFinding[] {
  const [hasBaseUnits, hasDecimal] = [isSent(values, 'amount'), isSent(values, 'amount_decimal')];
  const prefix = at === '' ? '' : `${at.slice(1)}: `;
  if (hasBaseUnits && hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both present. Send amount in base units, or amount_decimal, not both.`;
    return [{ code: 'amount_and_amount_decimal', pointer: `${at}/amount_decimal`, detail }];
  }
  if (!hasBaseUnits && !hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both missing. Send one of them.`;
    return [{ code: 'amount_or_amount_decimal_required', pointer: at, detail }];
  }
  return [];
}
