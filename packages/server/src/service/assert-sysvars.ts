import { type Account, type Address, sysvarLengths } from 'splwright-core';
import { AppError } from '../errors.ts';

/** Throws an `upstream_error` when a sysvar that was read is missing or too short. */
export function assertSysvarsAreWhole(read: ReadonlyMap<Address, Account | null>): void {
  for (const [sysvar, length] of sysvarLengths) {
    if ((read.get(sysvar)?.data.length ?? 0) >= length) continue;
    throw new AppError('upstream_error', `The Solana node does not have the sysvar ${sysvar}.`);
  }
}
