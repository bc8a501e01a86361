import { type Address, addressFromBytes, addressToBytes } from './address.ts';
import { isOnCurve } from './curve.ts';
import { associatedTokenProgram } from './programs.ts';
import { sha256 } from './sha256.ts';

const programDerivedAddressMarker = new TextEncoder().encode('ProgramDerivedAddress');
const associatedTokenProgramBytes = addressToBytes(associatedTokenProgram);
const bumpIndex = 96;

/** Whose token account, of which mint, under which token program. */
export interface TokenAccountSeeds {
  owner: Address;
  tokenProgram: Address;
  mint: Address;
}

/**
 * Finds the associated token address of a wallet, a token program and a mint, with its bump.
 *
 * The address is the first of SHA-256(owner, token program, mint, bump, associated token program, marker), counting the
 * bump down from 255, that is off the curve (associated-token-account `program/src/lib.rs`, `Pubkey::find_program_address`).
 * Throws a `RangeError` when no bump does it, which no one has ever met.
 */
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): { address: Address; bump: number } {
  const preimage = new Uint8Array(bumpIndex + 1 + 32 + programDerivedAddressMarker.length);
  preimage.set(addressToBytes(seeds.owner), 0);
  preimage.set(addressToBytes(seeds.tokenProgram), 32);
  preimage.set(addressToBytes(seeds.mint), 64);
  preimage.set(associatedTokenProgramBytes, bumpIndex + 1);
  preimage.set(programDerivedAddressMarker, bumpIndex + 33);
  for (let bump = 255; bump >= 0; bump--) {
    preimage[bumpIndex] = bump;
    const candidate = sha256(preimage);
    if (!isOnCurve(candidate)) return { address: addressFromBytes(candidate), bump };
  }
  throw new RangeError(`no associated token address for ${seeds.owner} and ${seeds.mint}`);
}
