import { type Address, toAddress } from '../addresses/address.ts';
import { readF64, readU64 } from '../bytes/little-endian.ts';

/** The sysvar that holds what an account must hold to be exempt from rent. */
export const rentSysvar = toAddress('SysvarRent111111111111111111111111111111111');
/** The sysvar that holds the slot, the epoch and the time. */
export const clockSysvar = toAddress('SysvarC1ock11111111111111111111111111111111');

/** The sysvars that are read, each with the bytes that a healthy node has of it without exception (agave `Rent`, `Clock`). */
export const sysvarLengths: readonly (readonly [sysvar: Address, lengthBytes: number])[] = [
  [rentSysvar, 17],
  [clockSysvar, 40],
];

/** The network's rent, as its sysvar says it. */
export interface Rent {
  lamportsPerByteYear: bigint;
  /** Years of rent that make an account exempt. */
  exemptionThreshold: number;
}

// Every account counts as this much longer than its data (`ACCOUNT_STORAGE_OVERHEAD` of the rent sysvar).
const accountStorageOverhead = 128n;

/** Reads the rent sysvar. Throws a `RangeError` when the data is too short. */
export function decodeRent(data: Uint8Array): Rent {
  return { lamportsPerByteYear: readU64(data, 0), exemptionThreshold: readF64(data, 8) };
}

/** Returns the least lamports that an account of `byteLength` bytes must hold (`Rent::minimum_balance`). */
export function minimumBalance(rent: Rent, byteLength: number): bigint {
  const perYear = (accountStorageOverhead + BigInt(byteLength)) * rent.lamportsPerByteYear;
  return BigInt(Math.trunc(Number(perYear) * rent.exemptionThreshold));
}

// In bytes (`MAX_PERMITTED_DATA_LENGTH`).
const maxAccountLength = 10 * 1024 * 1024;

/** Returns whether the minimum balance of every possible account is a number of lamports: from 0 to below 2^64. */
export function isPossibleRent({ lamportsPerByteYear, exemptionThreshold }: Rent): boolean {
  const maxBalance =
    Number(lamportsPerByteYear) * (Number(accountStorageOverhead) + maxAccountLength) * exemptionThreshold;
  // False for a threshold of NaN.
  return exemptionThreshold >= 0 && maxBalance < 2 ** 64;
}

/** The time on chain. */
export interface Clock {
  epoch: bigint;
  unixSeconds: bigint;
}

/** Reads the clock sysvar. Throws a `RangeError` when the data is too short. */
export function decodeClock(data: Uint8Array): Clock {
  return { epoch: readU64(data, 16), unixSeconds: BigInt.asIntN(64, readU64(data, 32)) };
}
