import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit';

/** An Ed25519 key pair of the sandbox; it signs at once, without promises. */
export interface Keypair {
  address: Address;
  /** Base58 of the 64 bytes: 32 of the seed, then 32 of the public key. */
  secretKey: string;
  /** Signs a message's bytes; 64 bytes come back. */
  sign(message: Uint8Array): Uint8Array;
}

/** The bytes before an Ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The bytes before an Ed25519 public key in SubjectPublicKeyInfo (RFC 8410, section 4). */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Makes the key pair of a name: the same name gives the same keys on every start. Never for real money. */
export function keypairFromName(name: string): Keypair {
  const seed = createHash('sha256').update(name).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    address: getAddressDecoder().decode(publicKey),
    secretKey: getBase58Decoder().decode(Buffer.concat([seed, publicKey])),
    sign: (message) => sign(null, message, privateKey),
  };
}

/** Reads 32 bytes as an Ed25519 public key for `node:crypto`'s `verify`. */
export function publicKeyFromBytes(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicKeyPrefix, bytes]), format: 'der', type: 'spki' });
}
