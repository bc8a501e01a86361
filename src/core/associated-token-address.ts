import { type Address, know, rememberFound } from './address.ts';
import { preimageTail } from './program-derived-address.ts';
import { associatedTokenProgram } from './programs.ts';
import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

/** Whose token account, of which mint, under which token program. */
export interface TokenAccountSeeds {
  owner: Address;
  tokenProgram: Address;
  mint: Address;
}

// A wallet that deals in more mints than the newest and these derives some of them again.
const rememberedOthers = 3;

const { tokenSeeds } = wasmOffsets;
// The seeds and the bump come before it.
wasmMemory.set(preimageTail(associatedTokenProgram), tokenSeeds + 97);
wasm.prepareTokenSeeds();

/** Finds the associated token address of a wallet, a token program and a mint, with its bump. */
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): {
  readonly address: Address;
  readonly bump: number;
} {
  const { mint, tokenProgram } = seeds;
  const owner = know(seeds.owner);
  for (const known of owner.tokenAccounts) {
    if (known.mint === mint && known.tokenProgram === tokenProgram) return known.found;
  }
  wasmMemory.set(owner.bytes, tokenSeeds);
  wasmMemory.set(know(tokenProgram).bytes, tokenSeeds + 32);
  wasmMemory.set(know(mint).bytes, tokenSeeds + 64);
  const bumpAndLength = wasm.findAssociatedTokenAddress();
  if (bumpAndLength < 0) throw new RangeError(`${seeds.owner} has no associated token address for the mint ${mint}`);
  const found = { address: rememberFound(bumpAndLength >> 8), bump: bumpAndLength & 0xff };
  const derived = { mint, tokenProgram, found };
  const { tokenAccounts } = owner;
  owner.tokenAccounts = tokenAccounts.length === 0 ? [derived] : [derived, ...tokenAccounts.slice(0, rememberedOthers)];
  return found;
}
