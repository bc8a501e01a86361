import { toAddress } from './address.ts';
import { readU64 } from './little-endian.ts';

/** The sysvar that holds what an account must hold to be exempt from rent. */
export const rentSysvar = toAddress('SysvarRent111111111111111111111111111111111');
/** The sysvar that holds the slot, the epoch and the time. */
export const clockSysvar = toAddress('SysvarC1ock11111111111111111111111111111111');

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
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { lamportsPerByteYear: readU64(data, 0), exemptionThreshold: view.getFloat64(8, true) };
}

/** The least lamports that an account of so many bytes must hold (`Rent::minimum_balance`). */
export function minimumBalance(rent: Rent, byteLength: number): bigint {
  const perYear = (accountStorageOverhead + BigInt(byteLength)) * rent.lamportsPerByteYear;
  return BigInt(Math.trunc(Number(perYear) * rent.exemptionThreshold));
}

/** Reads the epoch from the clock sysvar. Throws a `RangeError` when the data is too short. */
export function decodeEpoch(data: Uint8Array): bigint {
  return readU64(data, 16);
}
