import { type Address, addressFromBytes, addressToBytes, readAddressText } from './address.ts';
import { copyAddress, knownTokenAccount, remember, rememberTokenAccount } from './known-addresses.ts';
import { associatedTokenProgram } from './programs.ts';
import { wasm, wasmMemory, wasmOffsets, wasmView } from './wasm.ts';

/** An address that a program derives from seeds, and its bump: the further below 255, the more tries it took. */
export interface DerivedAddress {
  address: Address;
  bump: number;
}

const marker = new TextEncoder().encode('ProgramDerivedAddress');

// `MAX_SEEDS` of the runtime is 16 with the bump, `MAX_SEED_LEN` 32.
const maxSeedBytes = 15 * 32;

/** Returns the bytes that follow the seeds and the bump in the preimage of an address that `program` derives. */
export function preimageTail(program: Address): Uint8Array {
  const tail = new Uint8Array(32 + marker.length);
  tail.set(addressToBytes(program));
  tail.set(marker, 32);
  return tail;
}

/**
 * Finds the address that a program derives from seeds, with its bump.
 *
 * It is the first of SHA-256(seeds, bump, program, marker), counting the bump down from 255, that is off the curve
 * (`Pubkey::find_program_address`). Throws a `RangeError` for more seeds than the runtime takes, and when no bump does it.
 */
export function findProgramDerivedAddress(program: Address, seeds: readonly Uint8Array[]): DerivedAddress {
  const bumpIndex = seeds.reduce((length, seed) => length + seed.length, 0);
  if (bumpIndex > maxSeedBytes) throw new RangeError(`seeds have at most ${maxSeedBytes} bytes, not ${bumpIndex}`);
  // Before anything is written: an address not seen before is decoded in the same memory.
  const tail = preimageTail(program);
  let offset = wasmOffsets.input;
  for (const seed of seeds) {
    wasmMemory.set(seed, offset);
    offset += seed.length;
  }
  wasmMemory.set(tail, offset + 1);
  const bump = wasm.findProgramDerivedAddress(bumpIndex + 1 + tail.length, bumpIndex);
  if (bump < 0) throw new RangeError(`no address of the program ${program} for these seeds`);
  return { address: addressFromBytes(wasmMemory.subarray(wasmOffsets.output, wasmOffsets.output + 32)), bump };
}

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
export function findAssociatedTokenAddress(seeds: TokenAccountSeeds): DerivedAddress {
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
