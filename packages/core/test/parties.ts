import { hash, randomBytes } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { type Address, toAddress } from '../src/addresses/address.ts';

/** An address and its bytes, by the witness library. */
export interface Party {
  address: Address;
  bytes: Uint8Array;
}

/** An address that nothing else has. */
export function freshParty(): Party {
  const bytes = randomBytes(32);
  return { address: toAddress(new PublicKey(bytes).toBase58()), bytes };
}

/** The party of an address. */
export function partyOf(address: Address): Party {
  return { address, bytes: new PublicKey(address).toBytes() };
}

const tail = Buffer.concat([
  new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL').toBytes(),
  Buffer.from('ProgramDerivedAddress'),
]);

/** What Node's own SHA-256 makes of the seeds and a bump. */
export function hashByWitness(owner: Party, program: Party, mint: Party, bump: number): string {
  const preimage = Buffer.concat([owner.bytes, program.bytes, mint.bytes, Buffer.of(bump), tail]);
  return new PublicKey(hash('sha256', preimage, 'buffer')).toBase58();
}
