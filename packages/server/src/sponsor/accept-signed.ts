import { createPublicKey, verify } from 'node:crypto';
import { type Address, addressToBytes, decodeTransaction } from 'splwright-core';
import { sponsorFault } from './kora-client.ts';

/**
 * Returns the transaction that a sponsor has signed: what it was asked to sign, with its one signature.
 *
 * `signed`: its answer in base64. Throws `sponsor_error` where anything but its own signature differs, or where that is not valid.
 */
export function acceptSigned(unsigned: Uint8Array, signed: string, sponsor: Address): Uint8Array {
  const answer = new Uint8Array(Buffer.from(signed, 'base64'));
  const { signatures, message, signers } = decodeTransaction(unsigned);
  const [slot] = signatures;
  if (!slot || signers[0] !== sponsor) throw new Error('a sponsor is asked for what it does not pay');
  const start = slot.byteOffset - unsigned.byteOffset;
  const signature = answer.slice(start, start + slot.length);
  const expected = unsigned.slice();
  if (answer.length !== expected.length) throw sponsorFault('it answers another transaction than the one it was sent');
  expected.set(signature, start);
  if (!expected.every((byte, index) => byte === answer[index])) {
    throw sponsorFault('it answers another transaction than the one it was sent');
  }
  if (!verify(null, message, publicKeyOf(sponsor), signature)) {
    throw sponsorFault(`its signature is not a valid one of ${sponsor}`);
  }
  return expected;
}

function publicKeyOf(address: Address) {
  const x = Buffer.from(addressToBytes(address)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
