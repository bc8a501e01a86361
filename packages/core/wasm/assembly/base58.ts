import { output, text } from './memory';

// An address of 32 bytes is nine groups of five digits: 58^5 < 2^30, and 58^45 > 2^256. It is decoded to limbs of 30 bits.
const fiveDigits: u64 = 58 * 58 * 58 * 58 * 58;
const limbBits: u64 = 30;
const limbMask: u64 = (1 << 30) - 1;

const alphabet: usize = memory.data<u8>([
  49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67, 68, 69, 70, 71, 72, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86,
  87, 88, 89, 90, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118,
  119, 120, 121, 122,
]);
// What a character that is no digit has instead: a bit that no digit has.
const noDigitBit: u64 = 6;
const digitOf: usize = memory.data(256, 16);
// Row by row, nine columns of 64 bits: 2^(32 * row) in groups, and 58^(5 * row) in limbs, least significant first.
const rowLength: i32 = 9 * 8;
const groupsOfWords: usize = memory.data(8 * 9 * 8, 16);
const limbsOfGroups: usize = memory.data(9 * 9 * 8, 16);
// The text is copied from here in three pieces of 16 bytes, from the 14th digit at the latest.
const digits: usize = memory.data(64, 16);

memory.fill(digitOf, 1 << (<u8>noDigitBit), 256);
for (let digit: u32 = 0; digit < 58; digit++) store<u8>(digitOf + load<u8>(alphabet + digit), digit);
store<u64>(groupsOfWords, 1);
for (let at = groupsOfWords + rowLength; at < groupsOfWords + 8 * rowLength; at += rowLength) {
  let carry: u64 = 0;
  for (let column = at; column < at + rowLength; column += 8) {
    carry += load<u64>(column - rowLength) << 32;
    store<u64>(column, carry % fiveDigits);
    carry /= fiveDigits;
  }
}
store<u64>(limbsOfGroups, 1);
for (let at = limbsOfGroups + rowLength; at < limbsOfGroups + 9 * rowLength; at += rowLength) {
  let carry: u64 = 0;
  for (let column = at; column < at + rowLength; column += 8) {
    carry += load<u64>(column - rowLength) * fiveDigits;
    store<u64>(column, carry & limbMask);
    carry >>= limbBits;
  }
}

// Both directions sum up products column by column, so that none of them waits for another: only carries do.

/**
 * Writes the base58 text of the 32 bytes at `bytes` to `text`, one byte a character, and returns its length.
 *
 * A column with what the one before carries is below 0.54 * 2^64, the largest being the second.
 */
export function encodeAddress(bytes: usize): i32 {
  const w0 = <u64>bswap<u32>(load<u32>(bytes, 28));
  const w1 = <u64>bswap<u32>(load<u32>(bytes, 24));
  const w2 = <u64>bswap<u32>(load<u32>(bytes, 20));
  const w3 = <u64>bswap<u32>(load<u32>(bytes, 16));
  const w4 = <u64>bswap<u32>(load<u32>(bytes, 12));
  const w5 = <u64>bswap<u32>(load<u32>(bytes, 8));
  const w6 = <u64>bswap<u32>(load<u32>(bytes, 4));
  const w7 = <u64>bswap<u32>(load<u32>(bytes, 0));
  let carry = takeGroup(
    0,
    w0 +
      w1 * groupOf(1, 0) +
      w2 * groupOf(2, 0) +
      w3 * groupOf(3, 0) +
      w4 * groupOf(4, 0) +
      w5 * groupOf(5, 0) +
      w6 * groupOf(6, 0) +
      w7 * groupOf(7, 0),
  );
  carry = takeGroup(
    1,
    carry +
      w1 * groupOf(1, 1) +
      w2 * groupOf(2, 1) +
      w3 * groupOf(3, 1) +
      w4 * groupOf(4, 1) +
      w5 * groupOf(5, 1) +
      w6 * groupOf(6, 1) +
      w7 * groupOf(7, 1),
  );
  carry = takeGroup(
    2,
    carry +
      w2 * groupOf(2, 2) +
      w3 * groupOf(3, 2) +
      w4 * groupOf(4, 2) +
      w5 * groupOf(5, 2) +
      w6 * groupOf(6, 2) +
      w7 * groupOf(7, 2),
  );
  carry = takeGroup(
    3,
    carry + w3 * groupOf(3, 3) + w4 * groupOf(4, 3) + w5 * groupOf(5, 3) + w6 * groupOf(6, 3) + w7 * groupOf(7, 3),
  );
  carry = takeGroup(4, carry + w4 * groupOf(4, 4) + w5 * groupOf(5, 4) + w6 * groupOf(6, 4) + w7 * groupOf(7, 4));
  carry = takeGroup(5, carry + w5 * groupOf(5, 5) + w6 * groupOf(6, 5) + w7 * groupOf(7, 5));
  carry = takeGroup(6, carry + w6 * groupOf(6, 6) + w7 * groupOf(7, 6));
  carry = takeGroup(7, carry + w7 * groupOf(7, 7));
  takeGroup(8, carry);
  // Each leading zero byte is a "1", and no other leading "1" stays.
  let zeros = 0;
  while (zeros < 32 && load<u8>(bytes + zeros) == 0) zeros++;
  let start = 0;
  while (start < 45 && load<u8>(digits + start) == 49) start++;
  start -= zeros;
  v128.store(text, v128.load(digits + start));
  v128.store(text, v128.load(digits + start, 16), 16);
  v128.store(text, v128.load(digits + start, 32), 32);
  return 45 - start;
}

// A group of 2^(32 * word).
function groupOf(word: i32, group: i32): u64 {
  return load<u64>(groupsOfWords + word * rowLength + (group << 3));
}

// Writes the five digits of a group, counted from the least significant, and returns what is left for the next.
function takeGroup(group: usize, column: u64): u64 {
  const carry = column / fiveDigits;
  let rest = <u32>(column % fiveDigits);
  const at = digits + 40 - group * 5;
  store<u8>(at, load<u8>(alphabet + (rest % 58)), 4);
  rest /= 58;
  store<u8>(at, load<u8>(alphabet + (rest % 58)), 3);
  rest /= 58;
  store<u8>(at, load<u8>(alphabet + (rest % 58)), 2);
  rest /= 58;
  store<u8>(at, load<u8>(alphabet + (rest % 58)), 1);
  rest /= 58;
  store<u8>(at, load<u8>(alphabet + rest));
  return carry;
}

/**
 * Writes the 32 bytes of the base58 text at `text`, one byte a character, to `output`; false where it is no address.
 *
 * A column with what the one before carries is below 0.12 * 2^64, the largest being the second.
 */
export function decodeAddress(length: i32): bool {
  if (length < 32 || length > 44) return false;
  const end = text + length;
  const g0 = readGroup(end - 5);
  const g1 = readGroup(end - 10);
  const g2 = readGroup(end - 15);
  const g3 = readGroup(end - 20);
  const g4 = readGroup(end - 25);
  const g5 = readGroup(end - 30);
  const g6 = readGroup(end - 35);
  const g7 = readGroup(end - 40);
  const g8 = readGroup(end - 45);
  if ((g0 | g1 | g2 | g3 | g4 | g5 | g6 | g7 | g8) >> 32 != 0) return false;
  let carry =
    g0 +
    g1 * limbOf(1, 0) +
    g2 * limbOf(2, 0) +
    g3 * limbOf(3, 0) +
    g4 * limbOf(4, 0) +
    g5 * limbOf(5, 0) +
    g6 * limbOf(6, 0) +
    g7 * limbOf(7, 0) +
    g8 * limbOf(8, 0);
  const l0 = carry & limbMask;
  carry =
    (carry >> limbBits) +
    g2 * limbOf(2, 1) +
    g3 * limbOf(3, 1) +
    g4 * limbOf(4, 1) +
    g5 * limbOf(5, 1) +
    g6 * limbOf(6, 1) +
    g7 * limbOf(7, 1) +
    g8 * limbOf(8, 1);
  const l1 = carry & limbMask;
  carry =
    (carry >> limbBits) +
    g3 * limbOf(3, 2) +
    g4 * limbOf(4, 2) +
    g5 * limbOf(5, 2) +
    g6 * limbOf(6, 2) +
    g7 * limbOf(7, 2) +
    g8 * limbOf(8, 2);
  const l2 = carry & limbMask;
  carry =
    (carry >> limbBits) +
    g4 * limbOf(4, 3) +
    g5 * limbOf(5, 3) +
    g6 * limbOf(6, 3) +
    g7 * limbOf(7, 3) +
    g8 * limbOf(8, 3);
  const l3 = carry & limbMask;
  carry = (carry >> limbBits) + g5 * limbOf(5, 4) + g6 * limbOf(6, 4) + g7 * limbOf(7, 4) + g8 * limbOf(8, 4);
  const l4 = carry & limbMask;
  carry = (carry >> limbBits) + g6 * limbOf(6, 5) + g7 * limbOf(7, 5) + g8 * limbOf(8, 5);
  const l5 = carry & limbMask;
  carry = (carry >> limbBits) + g7 * limbOf(7, 6) + g8 * limbOf(8, 6);
  const l6 = carry & limbMask;
  carry = (carry >> limbBits) + g8 * limbOf(8, 7);
  const l7 = carry & limbMask;
  const l8 = carry >> limbBits;
  // What is past 256 bits.
  if (l8 >> 16 != 0) return false;
  store<u64>(output, bswap<u64>((l6 >> 12) | (l7 << 18) | (l8 << 48)));
  store<u64>(output, bswap<u64>((l4 >> 8) | (l5 << 22) | (l6 << 52)), 8);
  store<u64>(output, bswap<u64>((l2 >> 4) | (l3 << 26) | (l4 << 56)), 16);
  store<u64>(output, bswap<u64>(l0 | (l1 << 30) | (l2 << 60)), 24);
  // Each leading "1" is a zero byte, and there is no other.
  let ones = 0;
  while (ones < length && load<u8>(text + ones) == 49) ones++;
  let zeros = 0;
  while (zeros < 32 && load<u8>(output + zeros) == 0) zeros++;
  return zeros == ones;
}

// A limb of 58^(5 * group).
function limbOf(group: i32, limb: i32): u64 {
  return load<u64>(limbsOfGroups + group * rowLength + (limb << 3));
}

// The value of five digits, and 2^32 or more where one is none.
function readGroup(at: usize): u64 {
  const d0 = digitAt(at);
  const d1 = digitAt(at + 1);
  const d2 = digitAt(at + 2);
  const d3 = digitAt(at + 3);
  const d4 = digitAt(at + 4);
  const faults = (d0 | d1 | d2 | d3 | d4) >> noDigitBit;
  return (d0 * (58 * 58 * 58 * 58) + d1 * (58 * 58 * 58) + d2 * (58 * 58) + d3 * 58 + d4) | (faults << 32);
}

function digitAt(at: usize): u64 {
  return load<u8>(digitOf + load<u8>(at));
}
