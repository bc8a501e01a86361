import { fromCharacters } from './verify/bytes.ts';

export { toBase58 } from './verify/bytes.ts';

/** Decodes base64, such as a transaction that your backend has sent on. Throws when it is not base64. */
export function fromBase64(text: string): Uint8Array {
  return fromCharacters(atob(text));
}

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters);
}
