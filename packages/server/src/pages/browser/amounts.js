import { formatAmount } from 'splwright-core';

const decimalsOfSol = 9;

/**
 * Lamports as SOL, exact.
 * @param {string | bigint} lamports
 */
export function sol(lamports) {
  return `${tokens(lamports, decimalsOfSol)} SOL`;
}

/**
 * Base units as whole tokens, exact.
 * @param {string | bigint} units
 * @param {number} decimals
 */
export function tokens(units, decimals) {
  return formatAmount(BigInt(units), decimals);
}
