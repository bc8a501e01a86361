import { type Address, getAddressEncoder } from '@solana/kit';
import { getMultisigEncoder } from '@solana-program/token-2022';
import { fixedAddress, systemProgram } from './addresses.ts';

/** The data of a multisig of two wallets. */
export function encodeMultisig(): Uint8Array {
  const indices = Array.from({ length: 11 }, (_, index) => index);
  const signers = indices.map((index) => (index < 2 ? fixedAddress(`signer ${index}`) : systemProgram));
  return Uint8Array.from(getMultisigEncoder().encode({ m: 1, n: 2, isInitialized: true, signers }));
}

/** The data of an initialized nonce account: version, state, authority, nonce and the fee at its time. */
export function nonceData(authority: Address): Uint8Array {
  const data = new Uint8Array(80);
  data[0] = 1;
  data[4] = 1;
  data.set(getAddressEncoder().encode(authority), 8);
  data.fill(7, 40, 72);
  new DataView(data.buffer).setBigUint64(72, 5_000n, true);
  return data;
}
