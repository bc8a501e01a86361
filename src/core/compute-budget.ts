import type { Finding } from '../errors.ts';
import type { Memo } from './memo.ts';
import { defaultComputeUnitsPerInstruction, maximumComputeUnits } from './memo-cost.ts';
import { token2022Program } from './programs.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** What a version 1 message is given to load: as much as every other version may (`MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES`). */
export const loadedAccountsDataSizeLimit = 64 * 1024 * 1024;

/** Compute units on top of the measured cost: for the instructions that wallets insert, and for newer programs. */
const headroom = 40_000;
/** The further headroom where a transfer hook runs, whose own cost nobody but its author knows. */
const hookHeadroom = 100_000;

// Measured on the ledger's programs, each the dearest of the kinds of mint and of the two SPL Token programs.
const cost = {
  builtinInstruction: 150,
  transferClassic: 6_300,
  transferToken2022: 4_600,
  transferWithHook: 9_700,
  /** Each extra account of a hook, the derivation of its address included. */
  hookExtraAccount: 8_000,
  createExisting: 4_600,
  createClassic: 21_000,
  createToken2022: 19_500,
  /** Each address that the associated token program tries before the one that is off the curve. */
  bumpStep: 1_500,
};

/** What is known of a transfer that its compute units depend on. */
export interface ComputeFacts {
  plan: Pick<TransferPlan, 'tokenProgram' | 'createsRecipientTokenAccount' | 'memo' | 'hookAccounts'>;
  recipientBump: number;
  recipientTokenAccountExists: boolean;
}

/** The compute units to ask for: what the instructions were measured to take, what the memo can take, and headroom. */
export function estimateComputeUnits(facts: ComputeFacts): number {
  const { plan, recipientBump, recipientTokenAccountExists } = facts;
  const isToken2022 = plan.tokenProgram === token2022Program;
  const hasHook = plan.hookAccounts.length > 0;
  let units = headroom + 4 * cost.builtinInstruction + (plan.memo?.computeUnits ?? 0);
  if (hasHook) units += hookHeadroom + cost.transferWithHook + plan.hookAccounts.length * cost.hookExtraAccount;
  else units += isToken2022 ? cost.transferToken2022 : cost.transferClassic;
  if (plan.createsRecipientTokenAccount) {
    units += (255 - recipientBump) * cost.bumpStep;
    const creating = isToken2022 ? cost.createToken2022 : cost.createClassic;
    units += recipientTokenAccountExists ? cost.createExisting : creating;
  }
  return Math.min(units, maximumComputeUnits);
}

/**
 * The compute limit of a transfer with a memo and without a priority fee: the memo's own, unless a hook runs.
 *
 * What a hook takes is known to nobody but its author: where the memo leaves it less than a generous share of the default
 * grant, the most that any transaction may spend is asked for, which costs nothing without a price.
 */
export function limitWithHook(
  memo: Memo,
  limitOfMemo: number | undefined,
  hookAccountCount: number,
): number | undefined {
  if (hookAccountCount === 0) return limitOfMemo;
  const units = memo.computeUnits + hookHeadroom + cost.transferWithHook + hookAccountCount * cost.hookExtraAccount;
  const granted = 2 * defaultComputeUnitsPerInstruction;
  return limitOfMemo !== undefined || units > granted ? maximumComputeUnits : undefined;
}

const microLamportsPerLamport = 1_000_000n;

/** What a price brings for a limit, in lamports: rounded up, as the runtime does. */
export function priorityFeeOf(microLamportsPerComputeUnit: bigint, computeUnitLimit: number): bigint {
  const microLamports = microLamportsPerComputeUnit * BigInt(computeUnitLimit);
  return (microLamports + microLamportsPerLamport - 1n) / microLamportsPerLamport;
}

/** The highest price whose priority fee for this limit is within `maximumLamports`. */
export function highestPrice(maximumLamports: bigint, computeUnitLimit: number): bigint {
  return (maximumLamports * microLamportsPerLamport) / BigInt(computeUnitLimit);
}

/** The price of a level: a percentile of the fees that others paid lately, in micro-lamports per compute unit. */
export function priceOfLevel(level: 'low' | 'medium' | 'high', recentPrices: readonly bigint[]): bigint {
  const percentile = { low: 25, medium: 50, high: 90 }[level];
  const sorted = [...recentPrices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const index = Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100));
  return sorted[index] ?? 0n;
}

/** Says why a priority fee is refused, if it is: it is above what the operator of the service allows. */
export function judgePriorityFee(priorityFee: bigint, maximumLamports: bigint): Finding | undefined {
  if (priorityFee <= maximumLamports) return undefined;
  return {
    code: 'priority_fee_too_high',
    pointer: '/priority_fee',
    detail:
      `The priority fee would be ${priorityFee} lamports; this service allows ${maximumLamports}. priority_fee counts ` +
      'micro-lamports per compute unit: send a lower price, or a level.',
  };
}
