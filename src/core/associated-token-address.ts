import { type Address, readAddressText } from './address.ts';
import {
  bumpAt,
  copyBytesAt,
  placeOf,
  remember,
  rememberTokenAccount,
  tokenAccountAt,
  tokenAccountIndexOf,
} from './known-addresses.ts';
import { preimageTail } from './program-derived-address.ts';
import { associatedTokenProgram } from './programs.ts';
import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

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

/** Finds the associated token address of a wallet, a token program and a mint, with its bump. */
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): { address: Address; bump: number } {
  const { owner, mint, tokenProgram } = seeds;
  const ownerPlace = placeOf(owner);
  const known = tokenAccountIndexOf(ownerPlace, mint, tokenProgram);
  // What is known under these names was derived below.
  if (known !== -1) return { address: tokenAccountAt(known) as Address, bump: bumpAt(known) };

  copyBytesAt(ownerPlace, wasmMemory, tokenSeeds);
  copyBytesAt(placeOf(tokenProgram), wasmMemory, tokenSeeds + 32);
  copyBytesAt(placeOf(mint), wasmMemory, tokenSeeds + 64);
  const bumpAndLength = wasm.findAssociatedTokenAddress();
  if (bumpAndLength < 0) throw new RangeError(`${owner} has no associated token address for the mint ${mint}`);
  const found = { address: readAddressText(bumpAndLength >> 8), bump: bumpAndLength & 0xff };
  remember(found.address);
  rememberTokenAccount(placeOf(owner), mint, tokenProgram, found);
  return found;
}
