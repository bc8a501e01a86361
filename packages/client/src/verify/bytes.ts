/** Returns a byte for each character: its code, which must be below 256. */
export function fromCharacters(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
// A transaction of version 1 has 5,594 digits. The time that decoding takes grows with the square of them.
const maxDigits = 5_600;

/** Encodes bytes as base58, the text of signatures and addresses. */
export function toBase58(bytes: Uint8Array): string {
  return changeBase([...bytes], 256, 58)
    .map((digit) => alphabet.charAt(digit))
    .join('');
}

/** Decodes base58 of at most a transaction's length, or returns undefined. */
export function fromBase58(text: string): Uint8Array | undefined {
  if (text.length > maxDigits) return undefined;
  const digits = Array.from(text, (character) => alphabet.indexOf(character));
  return digits.includes(-1) ? undefined : Uint8Array.from(changeBase(digits, 58, 256));
}

/** Writes a number, given by its digits, in another base. Each zero at its head stays one. */
function changeBase(digits: readonly number[], from: number, to: number): readonly number[] {
  const result: number[] = [];
  for (const digit of digits) {
    let carry = digit;
    for (let at = 0; at < result.length || carry > 0; at++) {
      carry += (result[at] ?? 0) * from;
      result[at] = carry % to;
      carry = (carry / to) | 0;
    }
  }
  for (let at = 0; digits[at] === 0; at++) result.push(0);
  return result.reverse();
}

/** Reads an unsigned integer, the least byte first. */
export function toInteger(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
}
