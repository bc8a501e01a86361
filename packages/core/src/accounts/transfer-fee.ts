import { readU16, readU64 } from '../bytes/little-endian.ts';

/** How much a mint withholds from each transfer. */
export interface TransferFeeTerms {
  /** Hundredths of a percent of the amount: 269 is 2.69 %. */
  basisPoints: number;
  /** The most that one transfer is charged, in base units. */
  maximumFee: bigint;
}

/** What a mint withholds from each transfer, from an epoch on. */
export interface TransferFee extends TransferFeeTerms {
  epoch: bigint;
}

/** The two fees of a mint: the newer one counts from its epoch on, the older one before. */
export interface TransferFeeConfig {
  older: TransferFee;
  newer: TransferFee;
}

const oneInBasisPoints = 10_000n;

/** Returns whether neither fee takes more than all of a transfer, which the token program never allows. */
export function isPossibleTransferFee({ older, newer }: TransferFeeConfig): boolean {
  return Math.max(older.basisPoints, newer.basisPoints) <= Number(oneInBasisPoints);
}

/** Reads the value of a `TransferFeeConfig` extension (token-2022 `interface/src/extension/transfer_fee/mod.rs`). */
export function decodeTransferFeeConfig(value: Uint8Array): TransferFeeConfig {
  // Two authorities of 32 bytes and the withheld amount come first.
  return { older: decodeTransferFee(value, 72), newer: decodeTransferFee(value, 90) };
}

function decodeTransferFee(value: Uint8Array, offset: number): TransferFee {
  return {
    epoch: readU64(value, offset),
    maximumFee: readU64(value, offset + 8),
    basisPoints: readU16(value, offset + 16),
  };
}

/** What a transfer of `amount` base units is charged in this epoch. The recipient gets the rest. */
export function calculateTransferFee(config: TransferFeeConfig, amount: bigint, epoch: bigint): bigint {
  return chargeOf(feeAt(config, epoch), amount);
}

/** Returns the least base units to send so that as many as `received` arrive in this epoch; may be more than there can be. */
export function amountToSend(config: TransferFeeConfig, received: bigint, epoch: bigint): bigint {
  const { basisPoints, maximumFee } = feeAt(config, epoch);
  const capped = received + maximumFee;
  const kept = oneInBasisPoints - BigInt(basisPoints);
  if (kept === 0n) return capped;
  const uncapped = (received * oneInBasisPoints + kept - 1n) / kept;
  return uncapped < capped ? uncapped : capped;
}

/**
 * Returns what a mint may withhold from a transfer that lands in this epoch or later, as its schedule says now: the fee in force,
 * and the next one where that begins later. Empty where neither ever takes anything.
 */
export function transferFeeTerms(config: TransferFeeConfig, epoch: bigint): readonly TransferFeeTerms[] {
  const now = feeAt(config, epoch);
  const fees = now === config.newer ? [now] : [now, config.newer];
  return fees
    .filter(({ basisPoints, maximumFee }) => basisPoints > 0 && maximumFee > 0n)
    .map(({ basisPoints, maximumFee }) => ({ basisPoints, maximumFee }));
}

/** Returns the base units that arrive at least of a transfer of `amount`, whichever of the fees applies. */
export function leastReceived(amount: bigint, fees: readonly TransferFeeTerms[]): bigint {
  return fees.reduce((least, fee) => {
    const received = amount - chargeOf(fee, amount);
    return received < least ? received : least;
  }, amount);
}

function feeAt({ older, newer }: TransferFeeConfig, epoch: bigint): TransferFee {
  return epoch >= newer.epoch ? newer : older;
}

// Rounded up, at most the maximum.
function chargeOf({ basisPoints, maximumFee }: TransferFeeTerms, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + oneInBasisPoints - 1n) / oneInBasisPoints;
  return fee < maximumFee ? fee : maximumFee;
}
