import type { Address } from '../core/address.ts';
import { readU64 } from '../core/little-endian.ts';
import { clockSysvar, rentSysvar } from '../core/sysvars.ts';
import type { ChainHead } from './chain-head.ts';
import type { AccountsAtSlot } from './chain-reader.ts';
import { malformed } from './upstream-faults.ts';

// In bytes (agave `Rent` and `Clock`).
const lengths: readonly (readonly [Address, number])[] = [
  [rentSysvar, 17],
  [clockSysvar, 40],
];

/**
 * Throws an `UpstreamFault` when an answer lacks a sysvar that was asked for, which every node has, or is not of its clock's slot.
 *
 * Whoever has not even these says nothing about other accounts.
 */
export function assertSysvars(
  addresses: readonly Address[],
  { slot, accounts }: AccountsAtSlot,
  head: ChainHead,
): void {
  for (const [sysvar, length] of lengths) {
    const place = addresses.indexOf(sysvar);
    if (place === -1) continue;
    const data = accounts[place]?.data;
    if (data === undefined || data.length < length) throw malformed(`it does not have the sysvar ${sysvar}`);
    if (sysvar === clockSysvar) head.assertClock(slot, readU64(data, 0));
  }
}
