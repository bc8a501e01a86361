import { formatAmount } from 'splwright-core';

const solDecimals = 9;

/** Writes an amount of tokens as exact base units and as decimal text. */
export function sayTokens(amount: bigint, decimals: number): string {
  return `${amount} base units (${formatAmount(amount, decimals)} tokens)`;
}

/** Writes lamports as they are and in SOL. */
export function sayLamports(lamports: bigint): string {
  return `${lamports} lamports (${formatAmount(lamports, solDecimals)} SOL)`;
}
