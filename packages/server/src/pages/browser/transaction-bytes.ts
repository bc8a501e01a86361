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

/** Who must still sign a transaction, in the order of the signatures: a sponsor may have signed. */
export function signersOf(bytes: Uint8Array): string[] {
  return missingOf(bytes).map(({ signer }) => signer);
}

/** Each signature that is missing: whose it is, and where it goes. */
function missingOf(bytes: Uint8Array): { signer: string; at: number }[] {
  const { count, message, addressesAt, signaturesAt } = layoutOf(bytes);
  const all = Array.from({ length: count }, (_, index) => {
    const start = addressesAt + 32 * index;
    return { signer: encodeBase58(message.subarray(start, start + 32)), at: signaturesAt + 64 * index };
  });
  return all.filter(({ at }) => bytes.subarray(at, at + 64).every((byte) => byte === 0));
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
  const { message } = layoutOf(bytes);
  const signed = Uint8Array.from(bytes);
  for (const { signer, at } of missingOf(bytes)) signed.set(await sign(signer, Uint8Array.from(message)), at);
  return signed;
}
