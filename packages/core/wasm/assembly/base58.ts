import { output, text } from './memory';

// An address of 32 bytes is eight words of 32 bits, or nine groups of five digits: 58^5 < 2^30, and 58^45 > 2^256.
const fiveDigits: u64 = 58 * 58 * 58 * 58 * 58;
const groupCount: i32 = 9;
const wordCount: i32 = 8;
const digitCount: i32 = 5 * groupCount;

const alphabet: usize = memory.data<u8>([
  49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67, 68, 69, 70, 71, 72, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86,
  87, 88, 89, 90, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118,
  119, 120, 121, 122,
]);
const notADigit: u8 = 255;
const digitOf: usize = memory.data(256, 16);
// Groups or words, 64 bits each, least significant first.
const numbers: usize = memory.data(9 * 8, 16);
const digits: usize = memory.data(45, 16);

memory.fill(digitOf, notADigit, 256);
for (let digit: u32 = 0; digit < 58; digit++) store<u8>(digitOf + load<u8>(alphabet + digit), digit);

/** Writes the base58 text of the 32 bytes at `bytes` to `text`, one byte a character, and returns its length. */
export function encodeAddress(bytes: usize): i32 {
  for (let group = 0; group < groupCount; group++) setNumber(group, 0);
  for (let word = 0; word < wordCount; word++) {
    let carry = <u64>bswap<u32>(load<u32>(bytes + (word << 2)));
    // One word more needs at most one group more.
    for (let group = 0; group <= word + 1; group++) {
      carry += numberAt(group) << 32;
      setNumber(group, carry % fiveDigits);
      carry /= fiveDigits;
    }
  }
  let at = digits + digitCount;
  for (let group = 0; group < groupCount; group++) {
    let rest = <u32>numberAt(group);
    for (let count = 0; count < 5; count++) {
      at--;
      store<u8>(at, load<u8>(alphabet + (rest % 58)));
      rest /= 58;
    }
  }
  // Each leading zero byte is a "1", and no other leading "1" stays.
  const start = ones(digits, digitCount) - zeros(bytes);
  memory.copy(text, digits + start, digitCount - start);
  return digitCount - start;
}

/** Writes the 32 bytes of the base58 text at `text`, one byte a character, to `output`; false where it is no address. */
export function decodeAddress(length: i32): bool {
  if (length < 32 || length > 44) return false;
  for (let word = 0; word < wordCount; word++) setNumber(word, 0);
  let carry: u64 = 0;
  let scale: u64 = 1;
  for (let at = 0; at < length; at++) {
    const digit = load<u8>(digitOf + load<u8>(text + at));
    if (digit == notADigit) return false;
    carry = carry * 58 + digit;
    scale *= 58;
    if (scale < fiveDigits && at + 1 < length) continue;
    for (let word = 0; word < wordCount; word++) {
      carry += numberAt(word) * scale;
      setNumber(word, carry & 0xffff_ffff);
      carry >>= 32;
    }
    // What is past 256 bits.
    if (carry != 0) return false;
    scale = 1;
  }
  for (let word = 0; word < wordCount; word++) {
    store<u32>(output + 28 - (word << 2), bswap<u32>(<u32>numberAt(word)));
  }
  // Each leading "1" is a zero byte, and there is no other.
  return zeros(output) == ones(text, length);
}

function numberAt(index: i32): u64 {
  return load<u64>(numbers + (index << 3));
}

function setNumber(index: i32, value: u64): void {
  store<u64>(numbers + (index << 3), value);
}

// How many of the 32 bytes are zeros at the beginning.
function zeros(bytes: usize): i32 {
  let count = 0;
  while (count < 32 && load<u8>(bytes + count) == 0) count++;
  return count;
}

// How many of the characters are "1" at the beginning.
function ones(characters: usize, length: i32): i32 {
  let count = 0;
  while (count < length && load<u8>(characters + count) == 49) count++;
  return count;
}
