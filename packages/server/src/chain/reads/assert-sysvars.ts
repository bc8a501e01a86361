import type { Address } from 'splwright-core';
import { clockSysvar, decodeRent, isPossibleRent, readU64, rentSysvar, sysvarLengths } from 'splwright-core';
import type { AccountsAtSlot } from '../chain-reader.ts';
import { malformed } from '../upstream-faults.ts';
import type { ChainHead } from './chain-head.ts';

/**
 * Throws an `UpstreamFault` when an answer lacks a sysvar that was asked for, when its rent is no rent, or when it is not of
 * its clock's slot.
 *
 * Only the runtime writes sysvars: nonsense in them is always the upstream's. Without them its other accounts mean nothing.
 */
export function assertSysvars(
  addresses: readonly Address[],
  { slot, accounts }: AccountsAtSlot,
  head: ChainHead,
): void {
  for (const [sysvar, length] of sysvarLengths) {
    const index = addresses.indexOf(sysvar);
    if (index === -1) continue;
    const data = accounts[index]?.data;
    if (data === undefined || data.length < length) throw malformed(`it does not have the sysvar ${sysvar}`);
    if (sysvar === rentSysvar && !isPossibleRent(decodeRent(data)))
      throw malformed('its rent is no rent of any network');
    if (sysvar === clockSysvar) head.assertClock(slot, readU64(data, 0));
  }
}
