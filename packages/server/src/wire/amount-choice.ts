import type { WordedFinding } from '../errors.ts';

/**
 * Returns what is wrong with the choice between `amount` and `amount_decimal`, of which an object must have exactly one.
 *
 * `parent`: the JSON pointer to the object, without its first slash; empty for the body.
 */
export function findAmountFaults(object: object, parent = ''): readonly WordedFinding[] {
  const [hasBaseUnits, hasDecimal] = [Object.hasOwn(object, 'amount'), Object.hasOwn(object, 'amount_decimal')];
  const at = parent === '' ? '' : `/${parent}`;
  const prefix = parent === '' ? '' : `${parent}: `;
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

/** Returns what is wrong with the choice between `amount` and `amount_min` with `amount_max`, of which a link must have one. */
export function findBoundsFaults(object: object): readonly WordedFinding[] {
  const [hasAmount, hasMin, hasMax] = [
    Object.hasOwn(object, 'amount'),
    Object.hasOwn(object, 'amount_min'),
    Object.hasOwn(object, 'amount_max'),
  ];
  if (hasAmount && (hasMin || hasMax)) {
    const pointer = hasMin ? '/amount_min' : '/amount_max';
    const detail = `amount and ${pointer.slice(1)} are both present. Send amount, or amount_min and amount_max, not both.`;
    return [{ code: 'amount_and_amount_bounds', pointer, detail }];
  }
  if (hasAmount || (hasMin && hasMax)) return [];
  const detail = hasMin || hasMax ? `amount_${hasMin ? 'max' : 'min'} is missing.` : 'There is no amount.';
  const remedy = 'Send amount, or amount_min and amount_max.';
  return [{ code: 'amount_or_amount_bounds_required', pointer: '', detail: `${detail} ${remedy}` }];
}
