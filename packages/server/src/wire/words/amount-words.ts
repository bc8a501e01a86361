import { formatAmount } from 'splwright-core';

const solDecimals = 9;

/** Writes an amount of tokens as exact base units and as decimal text. */
export function sayTokens(amount: bigint, decimals: number): string {
  return `${amount} base units (${formatAmount(amount, decimals)} tokens)`;
}

/** Writes hundredths of a percent: `sayPercent(269)` is `2.69 %`. */
export function sayPercent(basisPoints: number): string {
  return `${formatAmount(BigInt(basisPoints), 2)} %`;
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
