import { type Address, addressFromBytes, addressToBytes } from './address.ts';
import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

const marker = new TextEncoder().encode('ProgramDerivedAddress');

// `MAX_SEEDS` of the runtime is 16 with the bump, `MAX_SEED_LEN` 32.
const maxSeedBytes = 15 * 32;

/** What stands behind the seeds and the bump in the preimage of an address that `program` derives. */
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
 * (`Pubkey::find_program_address`). Throws a `RangeError` for more seeds than the runtime takes, and when no bump does it,
 * which no one has ever met.
 */
export function findProgramDerivedAddress(
  program: Address,
  seeds: readonly Uint8Array[],
): { address: Address; bump: number } {
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
