// Elements of the field of p = 2^255 - 19: nine limbs of 30 bits, least significant first, each in a 64-bit word. A column of
// a product is a sum of at most nine products of two limbs, below 9 * 2^60 < 2^64.

/** Bits of a limb. */
export const limbBits: u64 = 30;
/** The bytes that an element takes. */
export const elementBytes: usize = 9 * 8;
const limbMask: u64 = (1 << 30) - 1;
// 2^270 = 2^15 * 2^255, and 2^255 = 19 modulo p.
const foldFactor: u64 = 19 << 15;
// Of the ninth limb, the bits below 2^255.
const topBits: u64 = 15;

const columns: usize = memory.data(18 * 8, 16);

/** Reads the lowest 255 bits of 32 little-endian bytes. */
export function readElement(bytes: usize, target: usize): void {
  const w0 = load<u64>(bytes);
  const w1 = load<u64>(bytes, 8);
  const w2 = load<u64>(bytes, 16);
  const w3 = load<u64>(bytes, 24) & 0x7fffffffffffffff;
  store<u64>(target, w0 & limbMask);
  store<u64>(target, (w0 >> 30) & limbMask, 8);
  store<u64>(target, ((w0 >> 60) | (w1 << 4)) & limbMask, 16);
  store<u64>(target, (w1 >> 26) & limbMask, 24);
  store<u64>(target, ((w1 >> 56) | (w2 << 8)) & limbMask, 32);
  store<u64>(target, (w2 >> 22) & limbMask, 40);
  store<u64>(target, ((w2 >> 52) | (w3 << 12)) & limbMask, 48);
  store<u64>(target, (w3 >> 18) & limbMask, 56);
  store<u64>(target, w3 >> 48, 64);
}

/** Multiplies two elements into a third, which may be one of them. The result is below 2^255 + 2^30. */
export function multiply(a: usize, b: usize, target: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const a4 = load<u64>(a, 32);
  const a5 = load<u64>(a, 40);
  const a6 = load<u64>(a, 48);
  const a7 = load<u64>(a, 56);
  const a8 = load<u64>(a, 64);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const b4 = load<u64>(b, 32);
  const b5 = load<u64>(b, 40);
  const b6 = load<u64>(b, 48);
  const b7 = load<u64>(b, 56);
  const b8 = load<u64>(b, 64);
  let carry = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1;
  const h0 = carry & limbMask;
  carry = (carry >> limbBits) + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2;
  const h1 = carry & limbMask;
  carry = (carry >> limbBits) + a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3;
  const h2 = carry & limbMask;
  carry = (carry >> limbBits) + a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4;
  const h3 = carry & limbMask;
  carry = (carry >> limbBits) + a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5;
  const h4 = carry & limbMask;
  carry = (carry >> limbBits) + a6 * b8 + a7 * b7 + a8 * b6;
  const h5 = carry & limbMask;
  carry = (carry >> limbBits) + a7 * b8 + a8 * b7;
  const h6 = carry & limbMask;
  carry = (carry >> limbBits) + a8 * b8;
  const h7 = carry & limbMask;
  const h8 = carry >> limbBits;

  carry = a0 * b0;
  const l0 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b1 + a1 * b0;
  const l1 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b2 + a1 * b1 + a2 * b0;
  const l2 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  const l3 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  const l4 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  const l5 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  const l6 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  const l7 = carry & limbMask;
  carry = (carry >> limbBits) + a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  const l8 = carry & limbMask;
  // What the low half carries into the high one is below 2^34.
  const high = carry >> limbBits;

  store<u64>(columns, l0 + (h0 + high) * foldFactor);
  store<u64>(columns, l1 + h1 * foldFactor, 8);
  store<u64>(columns, l2 + h2 * foldFactor, 16);
  store<u64>(columns, l3 + h3 * foldFactor, 24);
  store<u64>(columns, l4 + h4 * foldFactor, 32);
  store<u64>(columns, l5 + h5 * foldFactor, 40);
  store<u64>(columns, l6 + h6 * foldFactor, 48);
  store<u64>(columns, l7 + h7 * foldFactor, 56);
  store<u64>(columns, l8 + h8 * foldFactor, 64);
  reduce(columns, target);
}

/** Adds a small number to an element that is at least as large as the number is negative. */
export function addSmall(element: usize, addend: i64): void {
  store<u64>(element, load<u64>(element) + addend);
  reduce(element, element);
}

// Carries through limbs below 2^56, of which the lowest may be a small negative, and folds what is past 2^255 back in.
function reduce(source: usize, target: usize): void {
  let carry: i64 = 0;
  for (let index: usize = 0; index < 64; index += 8) {
    carry += load<i64>(source + index);
    store<i64>(target + index, carry & limbMask);
    carry >>= limbBits;
  }
  carry += load<i64>(source, 64);
  store<i64>(target, carry & ((1 << topBits) - 1), 64);
  carry = (carry >> topBits) * 19;
  for (let index: usize = 0; carry != 0 && index < 72; index += 8) {
    carry += load<i64>(target + index);
    store<i64>(target + index, carry & limbMask);
    carry >>= limbBits;
  }
}
