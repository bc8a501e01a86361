import { decodeAddress as decode, encodeAddress as encode } from './base58';
import { isOnCurve as isPoint } from './curve';
import { copy32, input, output, text, tokenProof, tokenSeeds } from './memory';
import { compress, compressExpanded, expand, startState, writeDigest } from './sha256';

export { input, output, text, tokenProof, tokenSeeds };

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

/** Writes the 32 bytes of the base58 text of `length` bytes at `text` to `output`; false where it is no address. */
export function decodeAddress(length: i32): bool {
  return decode(length);
}

/**
 * Finds the highest bump for which the SHA-256 of the preimage at `input` is off the curve, and writes that address to `output`.
 *
 * The preimage has `length` bytes, at most 567, the bump at `bumpIndex`. Returns the bump, or -1 where there is none.
 */
export function findProgramDerivedAddress(length: i32, bumpIndex: i32): i32 {
  const paddedLength = pad(input, length);
  // What stands in whole blocks before the bump is hashed once.
  const fixedLength = (bumpIndex >> 6) << 6;
  startState(fixedState);
  for (let at = 0; at < fixedLength; at += 64) compress(fixedState, input + at);
  for (let bump = 255; bump >= 0; bump--) {
    store<u8>(input + bumpIndex, <u8>bump);
    copy32(state, fixedState);
    for (let at = fixedLength; at < paddedLength; at += 64) compress(state, input + at);
    writeDigest(state, output);
    if (!isPoint(output)) return bump;
  }
  return -1;
}

/**
 * Finds the associated token address of the owner, token program and mint at `tokenSeeds`, and writes it to `output` and its
 * base58 text to `text`. Returns the bump and, 2^8 times it, the text's length; or -1 where there is no such address.
 *
 * What follows the three must have been prepared once by `prepareTokenSeeds`.
 */
export function findAssociatedTokenAddress(): i32 {
  startState(fixedState);
  compress(fixedState, tokenSeeds);
  for (let bump = 255; bump >= 0; bump--) {
    store<u8>(tokenSeeds + tokenSeedsBumpIndex, <u8>bump);
    copy32(state, fixedState);
    compress(state, tokenSeeds + 64);
    compressExpanded(state, tokenSeedsLastBlock);
    writeDigest(state, output);
    if (!isPoint(output)) return bump | (encode(output) << 8);
  }
  return -1;
}

const tokenSeedsBumpIndex: i32 = 96;
const tokenSeedsLength: i32 = 150;
// The third block holds nothing but the end of the program's address and the marker: it is the same for every account.
const tokenSeedsLastBlock: usize = memory.data(64 * 4, 16);

/** Pads the preimage at `tokenSeeds`, whose 150 bytes the caller has written: owner, token program, mint, bump, program, marker. */
export function prepareTokenSeeds(): void {
  pad(tokenSeeds, tokenSeedsLength);
  expand(tokenSeeds + 128, tokenSeedsLastBlock);
}

/** Pads the preimage at `tokenProof`, as `prepareTokenSeeds` does its own. */
export function prepareTokenProof(): void {
  pad(tokenProof, tokenSeedsLength);
  expand(tokenProof + 128, tokenProofLastBlock);
}

/**
 * Writes the SHA-256 of the preimage at `tokenProof` to `output`: no search, no curve test.
 *
 * The caller has written owner, token program, mint and bump; `prepareTokenProof` comes first.
 */
export function hashTokenProof(): void {
  startState(state);
  compress(state, tokenProof);
  compress(state, tokenProof + 64);
  compressExpanded(state, tokenProofLastBlock);
  writeDigest(state, output);
}

const tokenProofLastBlock: usize = memory.data(64 * 4, 16);

// Pads a message as SHA-256 does, and returns its length in whole blocks.
function pad(message: usize, length: i32): i32 {
  const paddedLength = ((length + 72) >> 6) << 6;
  memory.fill(message + length, 0, paddedLength - length);
  store<u8>(message + length, 0x80);
  store<u32>(message + paddedLength - 4, bswap<u32>((<u32>length) << 3));
  return paddedLength;
}
