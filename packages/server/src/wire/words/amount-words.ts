import { formatAmount } from 'splwright-core';

const solDecimals = 9;

/** Writes an amount of tokens as exact base units and as decimal text. */
export function sayTokens(amount: bigint, decimals: number): string {
  return `${countOf(amount, 'base unit')} (${countOf(formatAmount(amount, decimals), 'token')})`;
}

function countOf(count: bigint | string, unit: string): string {
  return `${count} ${unit}${String(count) === '1' ? '' : 's'}`;
}

/** Writes lamports as they are and in SOL. */
export function sayLamports(lamports: bigint): string {
  return `${lamports} lamports (${formatAmount(lamports, solDecimals)} SOL)`;
}

/** Writes an amount as payers read prices: `payerAmount(1500000n, 6)` is `1.50`. Nothing is rounded. */
export function payerAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatAmount(amount, decimals).split('.');
  const shown = fraction.padEnd(Math.min(decimals, 2), '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}
