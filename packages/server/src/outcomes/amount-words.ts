import { formatAmount, maxAmount } from 'splwright-core/inspect';

const solDecimals = 9;

/** Describes an amount of tokens as exact base units and as decimal text: `1500000 base units (1.5 tokens)`. */
export function describeTokens(amount: bigint, decimals: number): string {
  return `${counted(`${amount}`, 'base unit')} (${counted(formatAmount(amount, decimals), 'token')})`;
}

/** Describes what a delegate may send: `up to 5 base units (5 tokens)`, or `tokens without limit` for the most that can be allowed. */
export function describeAllowance(amount: bigint, decimals: number): string {
  return amount === maxAmount ? 'tokens without limit' : `up to ${describeTokens(amount, decimals)}`;
}

/** Returns a number with what it counts, in the plural unless the number is written `1`: `1 token`, `1.00 tokens`. */
export function counted(number: string, thing: string): string {
  return `${number} ${thing}${number === '1' ? '' : 's'}`;
}

/** Describes basis points as a percentage: `describePercent(269)` is `2.69 %`. */
export function describePercent(basisPoints: number): string {
  return `${formatAmount(BigInt(basisPoints), 2)} %`;
}

/** Describes lamports, also in SOL: `5000 lamports (0.000005 SOL)`. */
export function describeLamports(lamports: bigint): string {
  return `${counted(`${lamports}`, 'lamport')} (${formatAmount(lamports, solDecimals)} SOL)`;
}

/** Returns an amount as payers read prices: `payerAmount(1500000n, 6)` is `1.50`. Nothing is rounded. */
export function payerAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatAmount(amount, decimals).split('.');
  const shown = fraction.padEnd(Math.min(decimals, 2), '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}
