import type { Address } from './address.ts';
import { addressLength, areSameBytes } from './address-bytes.ts';
import { preimageTail } from './derived-addresses.ts';
import { associatedTokenProgram } from './programs.ts';
import { wasm, wasmMemory, wasmOffsets, wasmView, writeText } from './wasm.ts';

/** Whose token account, of which mint, under which token program, at which bump. */
export interface TokenAccountClaim {
  owner: Address;
  tokenProgram: Address;
  mint: Address;
  bump: number;
}

const { tokenProof, output } = wasmOffsets;
wasmMemory.set(preimageTail(associatedTokenProgram), tokenProof + 97);
wasm.prepareTokenProof();

// The texts whose bytes stand in the preimage: nearly all proofs are of the mint of the one before.
let writtenTokenProgram = '';
let writtenMint = '';

/**
 * Returns whether the 32 bytes at `offset` are the associated token address of an owner, by one SHA-256 with the bump known.
 *
 * It is the second way by which a token account is tied to its wallet: it starts from the texts, and shares no memory and no
 * search with `findAssociatedTokenAddress`, so that a fault of the one is not one of the other. Throws a `TypeError` for a text
 * that is no address.
 */
export function isTokenAccountOf(bytes: DataView, offset: number, claim: TokenAccountClaim): boolean {
  decodeTo(claim.owner, tokenProof);
  if (claim.tokenProgram !== writtenTokenProgram) {
    decodeTo(claim.tokenProgram, tokenProof + 32);
    writtenTokenProgram = claim.tokenProgram;
  }
  if (claim.mint !== writtenMint) {
    decodeTo(claim.mint, tokenProof + 64);
    writtenMint = claim.mint;
  }
  wasmMemory[tokenProof + 96] = claim.bump;
  wasm.hashTokenProof();
  return areSameBytes(bytes, offset, wasmView, output);
}

// Decodes the text itself, and does not look it up.
function decodeTo(address: Address, target: number): void {
  if (!writeText(address) || wasm.decodeAddress(address.length) === 0) {
    throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  }
  wasmMemory.copyWithin(target, output, output + addressLength);
}
