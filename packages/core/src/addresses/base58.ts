const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

// Digits are taken nine at a time, since 58^9 is the last power below 2^53.
const digitsPerChunk = 9;
const chunkBase = 58n ** BigInt(digitsPerChunk);

/**
 * Decodes base58 text into bytes, or says at which index the text stops being base58.
 *
 * Each leading `1` is one leading zero byte. The cost grows faster than the length: bound the text first.
 */
export function decodeBase58(text: string): { bytes: Uint8Array } | { invalidAt: number } {
  let value = 0n;
  for (let start = 0; start < text.length; start += digitsPerChunk) {
    const end = Math.min(start + digitsPerChunk, text.length);
    let chunk = 0;
    let scale = 1;
    for (let index = start; index < end; index++) {
      const digit = alphabet.indexOf(text.charAt(index));
      if (digit === -1) return { invalidAt: index };
      chunk = chunk * 58 + digit;
      scale *= 58;
    }
    value = value * BigInt(scale) + BigInt(chunk);
  }
  let leadingZeros = 0;
  while (text.charAt(leadingZeros) === '1') leadingZeros++;
  const hex = value === 0n ? '' : value.toString(16);
  const pairs = hex.length % 2 === 0 ? hex : `0${hex}`;
  const bytes = new Uint8Array(leadingZeros + pairs.length / 2);
  for (let at = 0; at < pairs.length; at += 2) {
    bytes[leadingZeros + at / 2] = Number.parseInt(pairs.slice(at, at + 2), 16);
  }
  return { bytes };
}

/** Encodes bytes as base58 text, each leading zero byte as a `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let leadingZeros = 0;
  while (bytes[leadingZeros] === 0) leadingZeros++;

  let hex = '0x0';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  let digits = '';
  for (let value = BigInt(hex); value > 0n; value /= chunkBase) {
    let chunk = Number(value % chunkBase);
    for (let count = 0; count < digitsPerChunk; count++) {
      digits = alphabet.charAt(chunk % 58) + digits;
      chunk = Math.floor(chunk / 58);
    }
  }
  return '1'.repeat(leadingZeros) + digits.replace(/^1+/, '');
}
