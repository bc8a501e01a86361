import { type Address, addressToBytes } from '../src/addresses/address.ts';
import { executeDiscriminator } from '../src/plan/resolve-hook-accounts.ts';

/** An entry of a hook's list: 33 bytes that say what its address comes from, and the two flags. */
export function hookEntry(source: readonly number[], signer = 0, writable = 0): number[] {
  return [...source, ...Array(33 - source.length).fill(0), signer, writable];
}

/** The entry of a fixed address. */
export function literalEntry(address: Address, signer = 0, writable = 0): number[] {
  return hookEntry([0, ...addressToBytes(address)], signer, writable);
}

/** The data of the account that lists the extra accounts of a hook. */
export function hookListOf(...entries: readonly number[][]): Uint8Array {
  const head = Buffer.alloc(16);
  head.set(executeDiscriminator);
  head.writeUInt32LE(4 + 35 * entries.length, 8);
  head.writeUInt32LE(entries.length, 12);
  return Uint8Array.from([...head, ...entries.flat()]);
}
