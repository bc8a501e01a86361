// Elements of the field of p = 2^255 - 19: nine limbs of 30 bits, least significant first, each in a 64-bit word. A column of
// a product is a sum of at most nine products of two limbs, below 9 * 2^60 < 2^64.

/** Bits of a limb. */
export const limbBits: u64 = 30;
const limbMask: u64 = (1 << 30) - 1;
// 2^270 = 2^15 * 2^255, and 2^255 = 19 modulo p.
const foldFactor: u64 = 19 << 15;
// Of the ninth limb, the bits below 2^255.
const topBits: u64 = 15;
const topMask: u64 = (1 << 15) - 1;

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

/** Squares an element in its place and adds another to it. The result is below 2^255 + 2^45, its second limb below 2^30 + 2^15. */
export function squarePlus(element: usize, addend: usize): void {
  const a0 = load<u64>(element);
  const a1 = load<u64>(element, 8);
  const a2 = load<u64>(element, 16);
  const a3 = load<u64>(element, 24);
  const a4 = load<u64>(element, 32);
  const a5 = load<u64>(element, 40);
  const a6 = load<u64>(element, 48);
  const a7 = load<u64>(element, 56);
  const a8 = load<u64>(element, 64);
  let carry = (a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) << 1;
  const h0 = carry & limbMask;
  carry = (carry >> limbBits) + ((a2 * a8 + a3 * a7 + a4 * a6) << 1) + a5 * a5;
  const h1 = carry & limbMask;
  carry = (carry >> limbBits) + ((a3 * a8 + a4 * a7 + a5 * a6) << 1);
  const h2 = carry & limbMask;
  carry = (carry >> limbBits) + ((a4 * a8 + a5 * a7) << 1) + a6 * a6;
  const h3 = carry & limbMask;
  carry = (carry >> limbBits) + ((a5 * a8 + a6 * a7) << 1);
  const h4 = carry & limbMask;
  carry = (carry >> limbBits) + ((a6 * a8) << 1) + a7 * a7;
  const h5 = carry & limbMask;
  carry = (carry >> limbBits) + ((a7 * a8) << 1);
  const h6 = carry & limbMask;
  carry = (carry >> limbBits) + a8 * a8;
  const h7 = carry & limbMask;
  const h8 = carry >> limbBits;

  carry = a0 * a0;
  const l0 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a1) << 1);
  const l1 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a2) << 1) + a1 * a1;
  const l2 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a3 + a1 * a2) << 1);
  const l3 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a4 + a1 * a3) << 1) + a2 * a2;
  const l4 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a5 + a1 * a4 + a2 * a3) << 1);
  const l5 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a6 + a1 * a5 + a2 * a4) << 1) + a3 * a3;
  const l6 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) << 1);
  const l7 = carry & limbMask;
  carry = (carry >> limbBits) + ((a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) << 1) + a4 * a4;
  const l8 = carry & limbMask;
  // What the low half carries into the high one is below 2^34.
  const high = carry >> limbBits;

  // Columns below 2^55, carried through from the lowest on; what is past 2^255, below 2^39 times 19, is added at the bottom.
  carry = l0 + (h0 + high) * foldFactor + load<u64>(addend);
  const c0 = carry & limbMask;
  carry = (carry >> limbBits) + l1 + h1 * foldFactor + load<u64>(addend, 8);
  const c1 = carry & limbMask;
  carry = (carry >> limbBits) + l2 + h2 * foldFactor + load<u64>(addend, 16);
  const c2 = carry & limbMask;
  carry = (carry >> limbBits) + l3 + h3 * foldFactor + load<u64>(addend, 24);
  const c3 = carry & limbMask;
  carry = (carry >> limbBits) + l4 + h4 * foldFactor + load<u64>(addend, 32);
  const c4 = carry & limbMask;
  carry = (carry >> limbBits) + l5 + h5 * foldFactor + load<u64>(addend, 40);
  const c5 = carry & limbMask;
  carry = (carry >> limbBits) + l6 + h6 * foldFactor + load<u64>(addend, 48);
  const c6 = carry & limbMask;
  carry = (carry >> limbBits) + l7 + h7 * foldFactor + load<u64>(addend, 56);
  const c7 = carry & limbMask;
  carry = (carry >> limbBits) + l8 + h8 * foldFactor + load<u64>(addend, 64);
  const c8 = carry & topMask;

  carry = (carry >> topBits) * 19 + c0;
  store<u64>(element, carry & limbMask);
  store<u64>(element, (carry >> limbBits) + c1, 8);
  store<u64>(element, c2, 16);
  store<u64>(element, c3, 24);
  store<u64>(element, c4, 32);
  store<u64>(element, c5, 40);
  store<u64>(element, c6, 48);
  store<u64>(element, c7, 56);
  store<u64>(element, c8, 64);
}
