import { formatAmount } from 'splwright-core';

const solDecimals = 9;

/** Writes an amount of tokens as exact base units and as decimal text. */
export function sayTokens(amount: bigint, decimals: number): string {
  return `${counted(`${amount}`, 'base unit')} (${counted(formatAmount(amount, decimals), 'token')})`;
}

/** Writes what a number, as it is written, counts: `1 token`, `1.00 tokens`. */
export function counted(number: string, thing: string): string {
  return `${number} ${thing}${number === '1' ? '' : 's'}`;
}

/** Writes hundredths of a percent: `sayPercent(269)` is `2.69 %`. */
export function sayPercent(basisPoints: number): string {
  return `${formatAmount(BigInt(basisPoints), 2)} %`;
}

/** Writes lamports as they are and in SOL. */
export function sayLamports(lamports: bigint): string {
  return `${counted(`${lamports}`, 'lamport')} (${formatAmount(lamports, solDecimals)} SOL)`;
}

/** Writes an amount as payers read prices: `payerAmount(1500000n, 6)` is `1.50`. Nothing is rounded. */
export function payerAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatAmount(amount, decimals).split('.');
  const shown = fraction.padEnd(Math.min(decimals, 2), '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}
