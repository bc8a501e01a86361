/** Copies 32 bytes. `memory.copy` is a call out of the compiled code, which takes longer than so few bytes do. */
export function copy32(target: usize, source: usize): void {
  store<u64>(target, load<u64>(source));
  store<u64>(target, load<u64>(source, 8), 8);
  store<u64>(target, load<u64>(source, 16), 16);
  store<u64>(target, load<u64>(source, 24), 24);
}

/** Where the caller writes what a function reads: a preimage, or 32 bytes. No function writes here. */
export const input: usize = memory.data(640, 16);
/** Where a function writes what it found, and reads what it encodes: 32 bytes. */
export const output: usize = memory.data(32, 16);
/** Where base58 text is written, and read from. */
export const text: usize = memory.data(64, 16);
/** Where the caller writes an owner, a token program and a mint: 96 bytes, and what follows them in the preimage. */
export const tokenSeeds: usize = memory.data(192, 16);
/** The same once more, with the bump: where the caller writes from what a token account must follow. */
export const tokenProof: usize = memory.data(192, 16);
