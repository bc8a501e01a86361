import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Address, addressFromBytes, encodeBase58 } from 'splwright-core';

const idLength = 16;

/** Returns a new id of a link: 16 random characters of base58, which nobody guesses. */
export function newLinkId(): string {
  // 16 characters are 93.7 bits, so the last ones of 16 bytes are evenly spread.
  return encodeBase58(randomBytes(idLength)).slice(-idLength);
}

/** Returns a new address by which payments are found: a public key whose private key nobody has. */
export function newReference(): Address {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has no public part');
  return addressFromBytes(Buffer.from(x, 'base64url'));
}
