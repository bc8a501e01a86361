import { addressBytes } from './addresses.ts';
import type { Message } from './message.ts';
import { VerificationError } from './verification-error.ts';

/**
 * Resolves with whose signatures are there: none, or that of the sponsor who pays the fee.
 *
 * Any other signature, one that is not valid for these bytes, and one that this runtime cannot verify because its WebCrypto has no
 * Ed25519, rejects with a `VerificationError`.
 */
export async function checkSignatures(
  { signatures, accounts, signedBytes }: Message,
  sponsor: string | undefined,
): Promise<readonly string[]> {
  const signed: string[] = [];
  for (const [index, signature] of signatures.entries()) {
    if (signature.every((byte) => byte === 0)) continue;
    const address = accounts[index]?.address ?? '';
    const part = `signature of ${address}`;
    if (index > 0 || address !== sponsor) throw new VerificationError('wrong_signature', part, 'none', 'one');
    if (!(await isValid(signature, signedBytes, addressBytes(address, part)))) {
      throw new VerificationError('wrong_signature', part, 'one that can be verified here', 'another');
    }
    signed.push(address);
  }
  return signed;
}

async function isValid(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean> {
  try {
    const { subtle } = globalThis.crypto;
    const key = await subtle.importKey('raw', publicKey.slice(), 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, signature.slice(), message.slice());
  } catch {
    return false;
  }
}
