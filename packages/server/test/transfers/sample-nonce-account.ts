import type { Account } from '../../../core/src/accounts/account.ts';
import { type Address, addressFromBytes, addressToBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

/** A nonce account's address. */
export const nonceAccount: Address = toAddress('gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU');

/** The nonce that it has. */
export const nonce: Address = addressFromBytes(new Uint8Array(32).fill(7));

/** A nonce account of the sender's, or of another wallet, as the System program writes it. */
export function initializedNonceAccount(authority: Address = sampleRequest.from): Account {
  const data = new Uint8Array(80);
  data.set([1, 0, 0, 0, 1, 0, 0, 0]);
  data.set(addressToBytes(authority), 8);
  data.set(addressToBytes(nonce), 40);
  return { owner: systemProgram, lamports: 1_447_680n, data, executable: false };
}
