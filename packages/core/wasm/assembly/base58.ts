import { output, text } from './memory';

// An address of 32 bytes is nine groups of five digits: 58^5 < 2^30, and 58^45 > 2^256.
const fiveDigits: u64 = 58 * 58 * 58 * 58 * 58;
const groupCount: i32 = 9;
const wordCount: i32 = 8;

const alphabet: usize = memory.data<u8>([
  49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67, 68, 69, 70, 71, 72, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86,
  87, 88, 89, 90, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118,
  119, 120, 121, 122,
]);
const digitOf: usize = memory.data(256, 16);
// Row by row: 2^(32 * index) in groups of five digits, least significant first.
const powers: usize = memory.data(8 * 9 * 8, 16);
const groups: usize = memory.data(9 * 8, 16);
const words: usize = memory.data(8 * 8, 16);
const digits: usize = memory.data(45, 16);

memory.fill(digitOf, 255, 256);
for (let digit: u32 = 0; digit < 58; digit++) store<u8>(digitOf + load<u8>(alphabet + digit), digit);
store<u64>(powers, 1);
for (let row = 1; row < wordCount; row++) {
  const at = powers + row * 72;
  let carry: u64 = 0;
  for (let index: usize = 0; index < 72; index += 8) {
    carry += load<u64>(at - 72 + index) << 32;
    store<u64>(at + index, carry % fiveDigits);
    carry /= fiveDigits;
  }
}

/**
 * Writes the base58 text of the 32 bytes at `bytes` to `text`, one byte a character, and returns its length.
 *
 * A sum of 32-bit words times groups stays below 2^64: of the last power only the highest group is as large as 2^30.
 */
export function encodeAddress(bytes: usize): i32 {
  for (let group: usize = 0; group < 72; group += 8) store<u64>(groups + group, 0);
  for (let word: usize = 0; word < 8; word++) {
    const value = <u64>bswap<u32>(load<u32>(bytes + 28 - (word << 2)));
    const row = powers + word * 72;
    for (let group: usize = 0; group <= (word << 3) + 8; group += 8) {
      store<u64>(groups + group, load<u64>(groups + group) + value * load<u64>(row + group));
    }
  }
  let carry: u64 = 0;
  for (let group = 0; group < groupCount; group++) {
    carry += load<u64>(groups + (group << 3));
    let rest = <u32>(carry % fiveDigits);
    carry /= fiveDigits;
    let at = digits + ((groupCount - 1 - group) * 5 + 4);
    for (let count = 0; count < 5; count++) {
      store<u8>(at, load<u8>(alphabet + (rest % 58)));
      rest /= 58;
      at--;
    }
  }
  // Each leading zero byte is a "1", and no other leading "1" stays.
  let zeros = 0;
  while (zeros < 32 && load<u8>(bytes + zeros) == 0) zeros++;
  let start = 0;
  while (start < 45 && load<u8>(digits + start) == 49) start++;
  start -= zeros;
  const length = 45 - start;
  memory.copy(text, digits + start, length);
  return length;
}

/** Writes the 32 bytes of the base58 text at `text`, one byte a character, to `output`; false where it is no address. */
export function decodeAddress(length: i32): bool {
  if (length < 32 || length > 44) return false;
  for (let word: usize = 0; word < 64; word += 8) store<u64>(words + word, 0);
  let ones = 0;
  while (ones < length && load<u8>(text + ones) == 49) ones++;
  let at = 0;
  let wordsUsed: usize = 0;
  while (at < length) {
    const size = at == 0 && length % 5 != 0 ? length % 5 : 5;
    let carry: u64 = 0;
    for (let count = 0; count < size; count++) {
      const digit = load<u8>(digitOf + load<u8>(text + at));
      if (digit == 255) return false;
      carry = carry * 58 + digit;
      at++;
    }
    // The first group meets words that are all zero, so that its own size does not matter.
    for (let word: usize = 0; word < wordsUsed; word++) {
      carry += load<u64>(words + (word << 3)) * fiveDigits;
      store<u64>(words + (word << 3), carry & 0xffffffff);
      carry >>= 32;
    }
    if (carry != 0) {
      if (wordsUsed == wordCount) return false;
      store<u64>(words + (wordsUsed << 3), carry);
      wordsUsed++;
    }
  }
  let zeros = 0;
  for (let word: usize = 0; word < 8; word++) {
    store<u32>(output + 28 - (word << 2), bswap<u32>(<u32>load<u64>(words + (word << 3))));
  }
  while (zeros < 32 && load<u8>(output + zeros) == 0) zeros++;
  return zeros == ones;
}
