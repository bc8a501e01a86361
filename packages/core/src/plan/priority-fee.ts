import { token2022Program } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { estimateComputeUnits } from './compute-cost.ts';

const microLamportsPerLamport = 1_000_000n;

/** What a price brings for a limit, in lamports: rounded up, as the runtime does. */
export function priorityFeeOf(microLamportsPerComputeUnit: bigint, computeUnitLimit: number): bigint {
  const microLamports = microLamportsPerComputeUnit * BigInt(computeUnitLimit);
  return (microLamports + microLamportsPerLamport - 1n) / microLamportsPerLamport;
}

/** The highest price whose priority fee for this limit is within `maxLamports`. */
export function highestPrice(maxLamports: bigint, computeUnitLimit: number): bigint {
  return (maxLamports * microLamportsPerLamport) / BigInt(computeUnitLimit);
}

/** The price of a level: a percentile of the fees that others paid lately, in micro-lamports per compute unit. */
export function priceOfLevel(level: 'low' | 'medium' | 'high', recentPrices: readonly bigint[]): bigint {
  const percentile = { low: 25, medium: 50, high: 90 }[level];
  const sorted = [...recentPrices].sort((a, b) => Number(a - b));
  return sorted[Math.floor((sorted.length * percentile) / 100)] ?? 0n;
}

/** Says why a priority fee is refused, if it is: it is above what the operator of the service allows. */
export function checkPriorityFee(priorityFee: bigint, maxLamports: bigint): Finding | undefined {
  return priorityFee <= maxLamports ? undefined : priorityFeeTooHigh(priorityFee, false, maxLamports);
}

/** Returns the finding when the priority fee is above the maximum whatever the mint is, otherwise undefined. */
export function checkLeastPriorityFee(request: TransferRequest, maxLamports: bigint): Finding | undefined {
  const least = leastPriorityFee(request);
  return least <= maxLamports ? undefined : priorityFeeTooHigh(least, true, maxLamports);
}

/** The least lamports that the priority fee of a request can come to, whatever its mint is: 0 for a level. */
export function leastPriorityFee({ createTokenAccount, layout, memo, priorityFee, splits }: TransferRequest): bigint {
  if (priorityFee === undefined || 'level' in priorityFee) return 0n;
  const cheapest = {
    createsRecipientTokenAccount: createTokenAccount === 'always',
    recipientTokenAccountBump: 255,
    recipientTokenAccountExists: true,
    hookAccounts: [],
  };
  // Whoever is paid twice gets one token account: the cheapest is not to create those of splits.
  const split = { ...cheapest, createsRecipientTokenAccount: false };
  const leastUnits = estimateComputeUnits({
    ...cheapest,
    layout,
    tokenProgram: token2022Program,
    memo,
    splits: splits.map((each) => ({ ...split, memo: each.memo })),
  });
  return priorityFeeOf(priorityFee.microLamportsPerComputeUnit, leastUnits);
}

function priorityFeeTooHigh(priorityFee: bigint, isLeast: boolean, max: bigint): Finding {
  return { code: 'priority_fee_too_high', field: 'priorityFee', context: { priorityFee, isLeast, max } };
}
