const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const notADigit = 255;
const digitOfCharCode = new Uint8Array(128).fill(notADigit);
for (let digit = 0; digit < alphabet.length; digit++) digitOfCharCode[alphabet.charCodeAt(digit)] = digit;

// Both directions work on 24-bit limbs and four digits at a time, so that every product stays an exact double:
// 2^24 * 58^4 < 2^48.
const limbBits = 24;
const limbBase = 2 ** limbBits;
const fourDigits = 58 ** 4;

/** Up to here limbs are faster. */
const maxShortLength = 700;

/**
 * Decodes base58 text into bytes, or says at which index the text stops being base58.
 *
 * Each leading `1` is one leading zero byte. The cost grows faster than the length: bound the text first.
 */
export function decodeBase58(text: string): { bytes: Uint8Array } | { invalidAt: number } {
  return text.length > maxShortLength ? decodeLongBase58(text) : decodeShortBase58(text);
}

function decodeShortBase58(text: string): { bytes: Uint8Array } | { invalidAt: number } {
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
  return { bytes: withLeadingZeros(text, limbsToBytes(limbs)) };
}

function withLeadingZeros(text: string, significant: Uint8Array): Uint8Array {
  const leadingZeros = countLeading(text, '1');
  const bytes = new Uint8Array(leadingZeros + significant.length);
  bytes.set(significant, leadingZeros);
  return bytes;
}

// Long texts by neighbors: multiplying two long numbers is cheaper than many short ones into a long one.
function decodeLongBase58(text: string): { bytes: Uint8Array } | { invalidAt: number } {
  const digits = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const digit = code < 128 ? (digitOfCharCode[code] ?? notADigit) : notADigit;
    if (digit === notADigit) return { invalidAt: index };
    digits[index] = digit;
  }
  const hex = numberOf(digits).toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  const significant = new Uint8Array(hex === '0' ? 0 : even.length / 2);
  for (let index = 0; index < significant.length; index++) {
    significant[index] = nibbleOf(even.charCodeAt(index * 2)) * 16 + nibbleOf(even.charCodeAt(index * 2 + 1));
  }
  return { bytes: withLeadingZeros(text, significant) };
}

/** The value of a hexadecimal digit, `0` to `9` or `a` to `f`. */
function nibbleOf(charCode: number): number {
  return charCode <= 57 ? charCode - 48 : charCode - 87;
}

// 58^9 is the last power below 2^53.
const digitsPerNumber = 9;

/** 58 to the power of 9, 18, 36 and so on: as many as the longest text so far has needed. */
const powers: bigint[] = [58n ** BigInt(digitsPerNumber)];

function numberOf(digits: Uint8Array): bigint {
  let numbers: bigint[] = [];
  for (let end = digits.length; end > 0; end -= digitsPerNumber) {
    let number = 0;
    for (let index = Math.max(0, end - digitsPerNumber); index < end; index++)
      number = number * 58 + (digits[index] ?? 0);
    numbers.push(BigInt(number));
  }
  // The least significant is first. Neighbors become one number until there is only one.
  for (let level = 0; numbers.length > 1; level++) {
    const power = powers[level] ?? (powers[level - 1] ?? 0n) ** 2n;
    powers[level] = power;
    numbers = Array.from({ length: Math.ceil(numbers.length / 2) }, (_, index) => {
      const high = numbers[index * 2 + 1];
      const low = numbers[index * 2] ?? 0n;
      return high === undefined ? low : high * power + low;
    });
  }
  return numbers[0] ?? 0n;
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
