import { type Address, addressFromBytes, addressToBytes } from './address.ts';
import { isOnCurve } from './curve.ts';
import { sha256 } from './sha256.ts';

const marker = new TextEncoder().encode('ProgramDerivedAddress');

/**
 * Finds the address that a program derives from seeds, with its bump.
 *
 * It is the first of SHA-256(seeds, bump, program, marker), counting the bump down from 255, that is off the curve
 * (`Pubkey::find_program_address`). Throws a `RangeError` when no bump does it, which no one has ever met.
 */
export function findProgramDerivedAddress(
  program: Address,
  seeds: readonly Uint8Array[],
): { address: Address; bump: number } {
  const bumpIndex = seeds.reduce((length, seed) => length + seed.length, 0);
  const preimage = new Uint8Array(bumpIndex + 1 + 32 + marker.length);
  let offset = 0;
  for (const seed of seeds) {
    preimage.set(seed, offset);
    offset += seed.length;
  }
  preimage.set(addressToBytes(program), bumpIndex + 1);
  preimage.set(marker, bumpIndex + 33);
  for (let bump = 255; bump >= 0; bump--) {
    preimage[bumpIndex] = bump;
    const candidate = sha256(preimage);
    if (!isOnCurve(candidate)) return { address: addressFromBytes(candidate), bump };
  }
  throw new RangeError(`no address of the program ${program} for these seeds`);
}
