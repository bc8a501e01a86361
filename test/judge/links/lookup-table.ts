import { type Address, address, getAddressEncoder, lamports } from '@solana/kit';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';

/** Writes a lookup table with these addresses, which can be used at once. */
export function writeLookupTable(ledger: Ledger, table: Address, addresses: readonly string[]): void {
  // u32 kind 1, u64 slot of deactivation (never), u64 and u8 of the last extension, an absent authority, padding.
  const meta = Buffer.alloc(56);
  meta.writeUInt32LE(1);
  meta.writeBigUInt64LE(2n ** 64n - 1n, 4);
  const data = Uint8Array.from([
    ...meta,
    ...addresses.flatMap((each) => [...getAddressEncoder().encode(address(each))]),
  ]);
  ledger.setAccount({
    address: table,
    lamports: lamports(ledger.minimumBalanceForRentExemption(BigInt(data.length))),
    data,
    space: BigInt(data.length),
    executable: false,
    programAddress: address('AddressLookupTab1e1111111111111111111111111'),
  });
}
