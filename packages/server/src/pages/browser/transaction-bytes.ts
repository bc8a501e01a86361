import { encodeBase58 } from 'splwright-core/base58';

/** Throws an error when the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Where the parts of a transaction are: version 1 has its signatures at the end, the others at the beginning. */
function layoutOf(bytes: Uint8Array) {
  const isVersion1 = bytes[0] === 0x81;
  const count = (isVersion1 ? bytes[1] : bytes[0]) ?? 0;
  const message = isVersion1 ? bytes.subarray(0, bytes.length - 64 * count) : bytes.subarray(1 + 64 * count);
  // Version, header, mask, lifetime and two counts; version, header and one count; header and one count.
  const addressesAt = isVersion1 ? 42 : message[0] === 0x80 ? 5 : 4;
  return { count, message, addressesAt, signaturesAt: isVersion1 ? bytes.length - 64 * count : 1 };
}

/** Who must sign a transaction, in the order of the signatures. */
export function signersOf(bytes: Uint8Array): string[] {
  const { count, message, addressesAt } = layoutOf(bytes);
  return Array.from({ length: count }, (_, index) => {
    const start = addressesAt + 32 * index;
    return encodeBase58(message.subarray(start, start + 32));
  });
}

/** The first signature of a signed transaction, which names it. */
export function signatureOf(bytes: Uint8Array): Uint8Array {
  const { signaturesAt } = layoutOf(bytes);
  return bytes.slice(signaturesAt, signaturesAt + 64);
}

/** The transaction with its signatures, which `sign` makes of its message. */
export async function signedBytes(
  bytes: Uint8Array,
  sign: (signer: string, message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { message, signaturesAt } = layoutOf(bytes);
  const signed = Uint8Array.from(bytes);
  for (const [index, signer] of signersOf(bytes).entries()) {
    signed.set(await sign(signer, Uint8Array.from(message)), signaturesAt + 64 * index);
  }
  return signed;
}
