import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

/**
 * Returns whether 32 bytes decompress to a point of the Ed25519 curve, as the Solana runtime does it.
 *
 * An address on the curve can have a private key; one off it can only be a program's. `wasm/assembly/curve.ts` says how.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) throw new RangeError(`a point has 32 bytes, not ${bytes.length}`);
  wasmMemory.set(bytes, wasmOffsets.input);
  return wasm.isOnCurve() === 1;
}
