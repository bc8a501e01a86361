import { type Address, addressToBytes } from './address.ts';
import { findProgramDerivedAddress } from './program-derived-address.ts';
import { associatedTokenProgram } from './programs.ts';

/** Whose token account, of which mint, under which token program. */
export interface TokenAccountSeeds {
  owner: Address;
  tokenProgram: Address;
  mint: Address;
}

/** Finds the associated token address of a wallet, a token program and a mint, with its bump. */
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): { address: Address; bump: number } {
  return findProgramDerivedAddress(associatedTokenProgram, [
    addressToBytes(seeds.owner),
    addressToBytes(seeds.tokenProgram),
    addressToBytes(seeds.mint),
  ]);
}
