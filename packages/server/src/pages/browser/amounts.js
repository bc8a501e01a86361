const lamportsPerSol = 1_000_000_000n;

/**
 * Lamports as SOL, exact.
 * @param {string | bigint} lamports
 */
export function sol(lamports) {
  const count = BigInt(lamports);
  const fraction = String(count % lamportsPerSol)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${count / lamportsPerSol}${fraction && `.${fraction}`} SOL`;
}

/**
 * Base units as whole tokens, exact.
 * @param {string | bigint} units
 * @param {number} decimals
 */
export function tokens(units, decimals) {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction ? `${whole}.${fraction}` : whole;
}
