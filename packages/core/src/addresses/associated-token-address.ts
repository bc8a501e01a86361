import { type Address, readAddressText } from './address.ts';
import { copyAddress, knownTokenAccount, remember, rememberTokenAccount } from './known-addresses.ts';
import { preimageTail } from './program-derived-address.ts';
import { associatedTokenProgram } from './programs.ts';
import { wasm, wasmMemory, wasmOffsets, wasmView } from './wasm.ts';

/** Whose token account, of which mint, under which token program. */
export interface TokenAccountSeeds {
  owner: Address;
  tokenProgram: Address;
  mint: Address;
}

const { tokenSeeds } = wasmOffsets;
// The seeds and the bump come before it.
wasmMemory.set(preimageTail(associatedTokenProgram), tokenSeeds + 97);
wasm.prepareTokenSeeds();

// The texts whose bytes stand among the seeds: nearly all accounts that are derived are of the mint of the one before.
let writtenTokenProgram = '';
let writtenMint = '';

/** Finds the associated token address of a wallet, a token program and a mint, with its bump. */
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): { address: Address; bump: number } {
  const known = knownTokenAccount(seeds);
  // What is known for these seeds was derived below.
  if (known) return { address: known.address as Address, bump: known.bump };

  copyAddress(seeds.owner, wasmView, tokenSeeds);
  if (seeds.tokenProgram !== writtenTokenProgram) {
    copyAddress(seeds.tokenProgram, wasmView, tokenSeeds + 32);
    writtenTokenProgram = seeds.tokenProgram;
  }
  if (seeds.mint !== writtenMint) {
    copyAddress(seeds.mint, wasmView, tokenSeeds + 64);
    writtenMint = seeds.mint;
  }
  const bumpAndLength = wasm.findAssociatedTokenAddress();
  if (bumpAndLength < 0) {
    throw new RangeError(`${seeds.owner} has no associated token address for the mint ${seeds.mint}`);
  }
  const found = { address: readAddressText(bumpAndLength >> 8), bump: bumpAndLength & 0xff };
  remember(found.address);
  rememberTokenAccount(seeds, found);
  return found;
}
