const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const notADigit = 255;
const digitOfCharCode = new Uint8Array(128).fill(notADigit);
for (let digit = 0; digit < alphabet.length; digit++) digitOfCharCode[alphabet.charCodeAt(digit)] = digit;

// Both directions work on 24-bit limbs and four digits at a time, so that every product stays an exact double:
// 2^24 * 58^4 < 2^48.
const limbBits = 24;
const limbBase = 2 ** limbBits;
const fourDigits = 58 ** 4;

/**
 * Decodes base58 text into bytes, or says at which index the text stops being base58.
 *
 * Each leading `1` is one leading zero byte. The cost grows with the square of the length: bound the text first.
 */
export function decodeBase58(text: string): { bytes: Uint8Array } | { invalidAt: number } {
  const limbs: number[] = [];
  let chunk = 0;
  let scale = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const digit = code < 128 ? (digitOfCharCode[code] ?? notADigit) : notADigit;
    if (digit === notADigit) return { invalidAt: index };
    chunk = chunk * 58 + digit;
    scale *= 58;
    if (scale === fourDigits || index === text.length - 1) {
      multiplyAndAdd(limbs, scale, chunk);
      chunk = 0;
      scale = 1;
    }
  }
  const significant = limbsToBytes(limbs);
  const leadingZeros = countLeading(text, '1');
  const bytes = new Uint8Array(leadingZeros + significant.length);
  bytes.set(significant, leadingZeros);
  return { bytes };
}

/** Encodes bytes as base58 text, each leading zero byte as a `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let leadingZeros = 0;
  while (leadingZeros < bytes.length && bytes[leadingZeros] === 0) leadingZeros++;

  const limbs = bytesToLimbs(bytes);
  let text = '';
  let top = limbs.length - 1;
  while (top >= 0) {
    let remainder = 0;
    for (let index = top; index >= 0; index--) {
      const value = remainder * limbBase + (limbs[index] ?? 0);
      const quotient = Math.floor(value / fourDigits);
      limbs[index] = quotient;
      remainder = value - quotient * fourDigits;
    }
    while (top >= 0 && limbs[top] === 0) top--;
    // The most significant group carries no padding; every other one is exactly four digits.
    for (let count = 0; count < 4 && (top >= 0 || remainder > 0); count++) {
      text = alphabet.charAt(remainder % 58) + text;
      remainder = Math.floor(remainder / 58);
    }
  }
  return '1'.repeat(leadingZeros) + text;
}

function multiplyAndAdd(limbs: number[], factor: number, addend: number): void {
  let carry = addend;
  for (let index = 0; index < limbs.length; index++) {
    const value = (limbs[index] ?? 0) * factor + carry;
    carry = Math.floor(value / limbBase);
    limbs[index] = value - carry * limbBase;
  }
  if (carry > 0) limbs.push(carry);
}

function limbsToBytes(limbs: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(limbs.length * 3);
  for (const [index, limb] of limbs.entries()) {
    const end = bytes.length - index * 3;
    bytes[end - 1] = limb & 0xff;
    bytes[end - 2] = (limb >>> 8) & 0xff;
    bytes[end - 3] = limb >>> 16;
  }
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

function bytesToLimbs(bytes: Uint8Array): number[] {
  const limbs: number[] = [];
  for (let end = bytes.length; end > 0; end -= 3) {
    limbs.push((bytes[end - 1] ?? 0) | ((bytes[end - 2] ?? 0) << 8) | ((bytes[end - 3] ?? 0) << 16));
  }
  while (limbs.length > 0 && limbs.at(-1) === 0) limbs.pop();
  return limbs;
}

function countLeading(text: string, character: string): number {
  let count = 0;
  while (count < text.length && text[count] === character) count++;
  return count;
}
