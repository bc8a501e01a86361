import { hash } from 'node:crypto';
import { encodeBase58 } from 'splwright-core';
import { Type } from 'typebox';
import { addressPattern } from './schema-parts.ts';

/** How a person compares a transaction with what a hardware wallet shows. */
export const messageHashSchema = Type.String({
  description: 'The SHA-256 of the message in base58, as hardware wallets show it before they sign.',
  pattern: addressPattern,
});

/** Returns the SHA-256 of a message, which is what its signers sign, in lower-case hex. */
export function hashMessage(message: Uint8Array): string {
  return hash('sha256', message, 'hex');
}

/** Returns the hash of a message, which is in hex, in base58. */
export function messageHashText(messageHash: string): string {
  return encodeBase58(Buffer.from(messageHash, 'hex'));
}
