import type { Address } from './address.ts';
import { addressLength, areSameBytes, copyBytes } from './address-bytes.ts';
import { preimageTail } from './program-derived-address.ts';
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

// The texts whose bytes stand in the preimage: nearly all transfers have one of few mints and one of two programs.
let writtenTokenProgram = '';
let writtenMint = '';

// What was proven before, with everything that it was proven of, which is compared in full: a row never stands for another claim.
// Nothing here comes from what derivations remember, nor goes there. The texts of a row stand next to one another.
const maxProven = 8192;
const ownerColumn = 0;
const mintColumn = 1;
const tokenProgramColumn = 2;
const columnCount = 3;
const claims: string[] = Array.from({ length: maxProven * columnCount }, () => '');
const bumps = new Uint8Array(maxProven);
const accounts = new DataView(new ArrayBuffer(maxProven * addressLength));
// The first bytes of the account of each row, by which others are told from it without a look at their texts.
const marks = new Uint32Array(maxProven);

/**
 * Says whether the 32 bytes at `offset` are the associated token address of an owner, by one SHA-256 with the bump known.
 *
 * It is the second way by which a token account is tied to its wallet: it starts from the texts and shares neither a search nor
 * anything remembered with `findAssociatedTokenAddress`, so that a fault of the one is not one of the other.
 */
export function isTokenAccountOf(bytes: DataView, offset: number, claim: TokenAccountClaim): boolean {
  const mark = bytes.getUint32(offset, true);
  const row = mark % maxProven;
  const at = row * columnCount;
  if (
    marks[row] === mark &&
    claims[at + ownerColumn] === claim.owner &&
    claims[at + mintColumn] === claim.mint &&
    claims[at + tokenProgramColumn] === claim.tokenProgram &&
    bumps[row] === claim.bump &&
    areSameBytes(bytes, offset, accounts, row * addressLength)
  ) {
    return true;
  }
  hash(claim);
  if (!areSameBytes(bytes, offset, wasmView, output)) return false;
  marks[row] = mark;
  claims[at + ownerColumn] = claim.owner;
  claims[at + mintColumn] = claim.mint;
  claims[at + tokenProgramColumn] = claim.tokenProgram;
  bumps[row] = claim.bump;
  copyBytes(wasmView, output, accounts, row * addressLength);
  return true;
}

function hash(claim: TokenAccountClaim): void {
  if (claim.tokenProgram !== writtenTokenProgram) {
    decodeTo(claim.tokenProgram, tokenProof + 32);
    writtenTokenProgram = claim.tokenProgram;
  }
  if (claim.mint !== writtenMint) {
    decodeTo(claim.mint, tokenProof + 64);
    writtenMint = claim.mint;
  }
  wasmMemory[tokenProof + 96] = claim.bump;
  if (!writeText(claim.owner) || wasm.hashTokenProof(claim.owner.length) === 0) throw notAnAddress(claim.owner);
}

// Decodes the text itself, and does not look it up.
function decodeTo(address: Address, target: number): void {
  if (!writeText(address) || wasm.decodeAddress(address.length) === 0) throw notAnAddress(address);
  wasmMemory.copyWithin(target, output, output + addressLength);
}

function notAnAddress(text: string): TypeError {
  return new TypeError(`not a Solana address: ${JSON.stringify(text)}`);
}
