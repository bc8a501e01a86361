import { limbBits } from './field';

// The binary Euclidean algorithm on approximations (T. Pornin, "Optimized Binary GCD for Modular Inversion", sections 3 and
// 5): 30 halvings at a time are found from a word of each number, its lowest 32 bits, which are exact, and its highest 31,
// which say well enough which is larger and leave the sign of a difference to the word's own; what was found is then applied
// to the whole numbers.
//
// A wrong guess makes a negative, and the next step b instead; no step makes both negative, and while not both are, the
// symbol stays true, as Kronecker's. A batch makes both positive at its end.
//
// It ends. Where the larger number has n bits, a word times 2^(n - 63) is off by less than e = 2^(n - 31) through the whole
// batch. Either both words fall below 2^34, and both numbers end with n - 28 bits at most: 7 times, from 255 bits to 63. Or one
// word stays above: then only one guess can be wrong, between numbers of e or more, because it leaves one below e and the other
// above 3e to the end. A right step divides the product as it halves; the wrong one gives it back a factor of 2 at most and
// those after it one of 1.5 together, so it falls by 28 bits of its 2n, and has 63 left: 15 times at 255 bits, 13 at 227,
// and so on, 63 in all.

const limbCount: i32 = 9;
const limbMask: i64 = (1 << 30) - 1;
const batchBits: u64 = 30;

// Some ten are the rule.
const maximumBatches: i32 = 70;

// The bit of `flips` that counts: all others mean nothing. Two numbers are both 3 modulo 4 where both have it.
const flipBit: u64 = 1;

const b: usize = memory.data(9 * 8, 16);

/** The Jacobi symbol of a over the prime 2^255 - 19: 1, -1, or 0 where a is a multiple. Destroys `a`. */
export function jacobiOverPrime(a: usize): i32 {
  store<u64>(b, (1 << 30) - 19);
  for (let index: usize = 8; index < 64; index += 8) store<u64>(b + index, limbMask);
  store<u64>(b, (1 << 15) - 1, 64);
  let flips: u64 = 0;
  let top = limbCount - 1;
  for (let batch = 0; batch <= maximumBatches; batch++) {
    while (top > 0 && (limb(a, top) | limb(b, top)) == 0) top--;
    const width = <i32>(64 - clz<u64>(limb(a, top) | limb(b, top)));
    if (top < 2 || (top == 2 && width <= 3)) return finish(low64(a, top), low64(b, top), flips);

    let x = (approximate(a, top, width) << 32) | (low64(a, 1) & 0xffffffff);
    let y = (approximate(b, top, width) << 32) | (low64(b, 1) & 0xffffffff);
    // a' = (aa * a + ab * b) / 2^30 and b' = (ba * a + bb * b) / 2^30, where the halvings so far double the second. Each pair is
    // one word, aa + 2^32 * ab: all that is done to the two is linear, and neither ever passes 2^30.
    let rowA: i64 = 1;
    let rowB: i64 = 1 << 32;
    let left = batchBits;
    // Of x, or of -x, which ends in as many. Found at the end of a step, where the difference is not needed any longer: the
    // compiler has a register for each value that outlives a step, and not for one more.
    let zeros = ctz<u64>(x);
    while (zeros < left) {
      left -= zeros;
      x >>= zeros;
      rowB <<= zeros;
      flips ^= (zeros << flipBit) & twoOver(y);
      // Where x is the smaller one, both change places: without a branch, which could not be foreseen. Reciprocity: that
      // changes the sign where both are 3 modulo 4.
      const difference = <i64>(x - y);
      const isLess = difference >> 63;
      flips ^= x & y & isLess;
      y += difference & isLess;
      const rowDifference = rowA - rowB;
      rowB += rowDifference & isLess;
      rowA = (rowDifference ^ isLess) - isLess;
      zeros = ctz<u64>(difference);
      x = (difference ^ isLess) - isLess;
    }
    rowB <<= left;
    flips ^= (left << flipBit) & twoOver(y);
    flips ^= apply(a, top, rowA, rowB);
  }
  return 0;
}

// (2 | y) is -1 where y is 3 or 5 modulo 8: where the two bits above the lowest differ.
function twoOver(y: u64): u64 {
  return y ^ (y >> 1);
}

// Two numbers that each fit in 63 bits, to the end, by the same steps.
function finish(first: u64, second: u64, startFlips: u64): i32 {
  let x = first;
  let y = second;
  let flips = startFlips;
  let zeros = ctz<u64>(x);
  while (x != 0) {
    x >>= zeros;
    flips ^= (zeros << flipBit) & twoOver(y);
    const difference = <i64>(x - y);
    const isLess = difference >> 63;
    flips ^= x & y & isLess;
    y += difference & isLess;
    zeros = ctz<u64>(difference);
    x = (difference ^ isLess) - isLess;
  }
  if (y != 1) return 0;
  return (flips >> flipBit) & 1 ? -1 : 1;
}

// Applies a batch to both numbers, makes them positive, and returns the flips that this takes.
function apply(a: usize, top: i32, rowA: i64, rowB: i64): u64 {
  const aa = <i64>(<i32>rowA);
  const ab = (rowA - aa) >> 32;
  const ba = <i64>(<i32>rowB);
  const bb = (rowB - ba) >> 32;
  const end = (<usize>top) << 3;
  let carryA = (aa * load<i64>(a) + ab * load<i64>(b)) >> limbBits;
  let carryB = (ba * load<i64>(a) + bb * load<i64>(b)) >> limbBits;
  for (let index: usize = 8; index <= end; index += 8) {
    const limbA = load<i64>(a + index);
    const limbB = load<i64>(b + index);
    carryA += aa * limbA + ab * limbB;
    carryB += ba * limbA + bb * limbB;
    store<i64>(a + index - 8, carryA & limbMask);
    store<i64>(b + index - 8, carryB & limbMask);
    carryA >>= limbBits;
    carryB >>= limbBits;
  }
  store<i64>(a + end, carryA);
  store<i64>(b + end, carryB);
  // A negative b leaves a positive, and (a | -b) = (a | b); a negative a changes the sign where b is 3 modulo 4.
  if (carryB < 0) negate(b, end);
  if (carryA >= 0) return 0;
  negate(a, end);
  return load<u64>(b);
}

function negate(number: usize, end: usize): void {
  let carry: i64 = 0;
  for (let index: usize = 0; index < end; index += 8) {
    carry -= load<i64>(number + index);
    store<i64>(number + index, carry & limbMask);
    carry >>= limbBits;
  }
  store<i64>(number + end, carry - load<i64>(number + end));
}

function limb(number: usize, index: i32): u64 {
  return load<u64>(number + ((<usize>index) << 3));
}

// The lowest 64 bits of what the limbs up to `top` hold.
function low64(number: usize, top: i32): u64 {
  let word = load<u64>(number);
  if (top > 0) word |= load<u64>(number, 8) << 30;
  if (top > 1) word |= load<u64>(number, 16) << 60;
  return word;
}

// The 31 bits from the highest one on that either number has, which is bit `width` of the limb `top`.
function approximate(number: usize, top: i32, width: i32): u64 {
  const at = number + ((<usize>top) << 3);
  return ((load<u64>(at) << 30) | load<u64>(at - 8)) >> (width - 1);
}
