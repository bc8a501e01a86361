import { readU16, readU64 } from '../bytes/little-endian.ts';

/** What a mint withholds from each transfer, from an epoch on. */
export interface TransferFee {
  epoch: bigint;
  /** The most that one transfer is charged, in base units. */
  maximumFee: bigint;
  basisPoints: number;
}

/** What a mint may withhold from a transfer. */
export type TransferFeeTerms = Pick<TransferFee, 'basisPoints' | 'maximumFee'>;

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

/** What a transfer of `amount` base units is charged in this epoch: rounded up, at most the maximum. The recipient gets the rest. */
export function calculateTransferFee(config: TransferFeeConfig, amount: bigint, epoch: bigint): bigint {
  return chargeOf(epoch >= config.newer.epoch ? config.newer : config.older, amount);
}

/** What arrives at least of `amount` base units when any of these fees may be withheld from it. */
export function leastReceived(amount: bigint, fees: readonly TransferFeeTerms[]): bigint {
  return fees.reduce((least, fee) => {
    const received = amount - chargeOf(fee, amount);
    return received < least ? received : least;
  }, amount);
}

function chargeOf({ basisPoints, maximumFee }: TransferFeeTerms, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + oneInBasisPoints - 1n) / oneInBasisPoints;
  return fee < maximumFee ? fee : maximumFee;
}
