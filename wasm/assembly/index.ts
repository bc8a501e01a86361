import { decodeAddress as decode, encodeAddress as encode } from './base58';
import { isOnCurve as isPoint } from './curve';
import { input, output, text, tokenSeeds } from './memory';
import { compress, startState, writeDigest } from './sha256';

export { input, output, text, tokenSeeds };

const state: usize = memory.data(32, 16);
const fixedState: usize = memory.data(32, 16);

/** Says whether the 32 bytes at `input` are a point of the Ed25519 curve. */
export function isOnCurve(): bool {
  return isPoint(input);
}

/** Writes the base58 text of the 32 bytes at `output` to `text` and returns its length. */
export function encodeAddress(): i32 {
  return encode(output);
}

/** Writes the 32 bytes of the base58 text of `length` bytes at `input` to `output`; false where it is no address. */
export function decodeAddress(length: i32): bool {
  return decode(length);
}

/**
 * Finds the highest bump for which the SHA-256 of the preimage at `input` is off the curve, and writes that address to `output`.
 *
 * The preimage has `length` bytes, at most 567, the bump at `bumpIndex`. Returns the bump, or -1 where there is none.
 */
export function findProgramDerivedAddress(length: i32, bumpIndex: i32): i32 {
  return find(input, pad(input, length), bumpIndex);
}

/**
 * Finds the associated token address of the owner, token program and mint at `tokenSeeds`, and writes it to `output` and its
 * base58 text to `text`. Returns the bump and, 2^8 times it, the text's length; or -1 where there is no such address.
 *
 * What follows the three must have been prepared once by `prepareTokenSeeds`.
 */
export function findAssociatedTokenAddress(): i32 {
  const bump = find(tokenSeeds, tokenSeedsPaddedLength, tokenSeedsBumpIndex);
  return bump < 0 ? -1 : bump | (encode(output) << 8);
}

const tokenSeedsBumpIndex: i32 = 96;
const tokenSeedsLength: i32 = 150;
const tokenSeedsPaddedLength: i32 = 192;

/** Pads the preimage at `tokenSeeds`, whose 150 bytes the caller has written: owner, token program, mint, bump, program, marker. */
export function prepareTokenSeeds(): void {
  pad(tokenSeeds, tokenSeedsLength);
}

// Pads a message as SHA-256 does, and returns its length in whole blocks.
function pad(message: usize, length: i32): i32 {
  const paddedLength = ((length + 72) >> 6) << 6;
  memory.fill(message + length, 0, paddedLength - length);
  store<u8>(message + length, 0x80);
  store<u32>(message + paddedLength - 4, bswap<u32>((<u32>length) << 3));
  return paddedLength;
}

// What stands in whole blocks before the bump is hashed once.
function find(preimage: usize, paddedLength: i32, bumpIndex: i32): i32 {
  const fixedLength = (bumpIndex >> 6) << 6;
  startState(fixedState);
  for (let at = 0; at < fixedLength; at += 64) compress(fixedState, preimage + at);
  for (let bump = 255; bump >= 0; bump--) {
    store<u8>(preimage + bumpIndex, <u8>bump);
    memory.copy(state, fixedState, 32);
    for (let at = fixedLength; at < paddedLength; at += 64) compress(state, preimage + at);
    writeDigest(state, output);
    if (!isPoint(output)) return bump;
  }
  return -1;
}
