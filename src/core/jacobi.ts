// A number is an array of limbs of 26 bits, least significant first, each an exact double: a sum of two products of a limb
// and a factor of together at most 2^26 stays below 2^53.
const limbBits = 26;
const limbBase = 2 ** limbBits;
const limbMask = limbBase - 1;

// Some 40 batches are the rule; what has not come to an end after these never will (the numbers share a factor).
const maximumBatches = 80;

// What one batch does to f and g: f' = (u f + v g) / 2^26, g' = (q f + r g) / 2^26.
let u = 0;
let v = 0;
let q = 0;
let r = 0;
// Whether the symbol of g over f has changed its sign an odd number of times: the lowest bit.
let flips = 0;

/**
 * The Jacobi symbol of g over an odd f: 1 or -1, or `undefined` where they share a factor. Destroys both arguments.
 *
 * Both are arrays of as many limbs of 26 bits, least significant first. On public numbers only: the time varies.
 * The method is Hamburg's for Bernstein-Yang division steps that stay positive ("Computing the Jacobi symbol using
 * Bernstein-Yang"): 26 steps at a time are found from the lowest 32 bits alone and then applied to the whole numbers.
 */
export function jacobiSymbol(g: Float64Array, f: Float64Array): 1 | -1 | undefined {
  flips = 0;
  let delta = 1;
  let length = f.length;
  for (let batch = 0; batch < maximumBatches; batch++) {
    delta = findBatch(delta, low32(f), low32(g));
    applyBatch(f, g, length);
    while (length > 1 && f[length - 1] === 0 && g[length - 1] === 0) length--;
    if (f[0] === 1 && isZeroAbove(f, length)) return flips & 1 ? -1 : 1;
  }
  return undefined;
}

function low32(number: Float64Array): number {
  return (number[0] ?? 0) | ((number[1] ?? 0) << limbBits);
}

function isZeroAbove(number: Float64Array, length: number): boolean {
  for (let index = 1; index < length; index++) if (number[index] !== 0) return false;
  return true;
}

// Finds 26 division steps from the lowest 32 bits of f (odd) and g, and counts the sign changes on the way:
// (2 | f) is -1 where f is 3 or 5 modulo 8, and swapping changes the sign where both are 3 modulo 4.
function findBatch(startDelta: number, lowF: number, lowG: number): number {
  let delta = startDelta;
  let f = lowF;
  let g = lowG;
  let [fromF, fromG, intoF, intoG] = [1, 0, 0, 1];
  let left = limbBits;
  for (;;) {
    // A sentinel stops the count of zeros at the end of the batch.
    const sentinel = g | (-1 << left);
    const zeros = 31 - Math.clz32(sentinel & -sentinel);
    g >>>= zeros;
    fromF <<= zeros;
    fromG <<= zeros;
    delta += zeros;
    left -= zeros;
    flips ^= zeros & ((f >>> 1) ^ (f >>> 2));
    if (left === 0) break;
    if (delta > 0) {
      delta = -delta;
      flips ^= (f & g) >>> 1;
      let swap = f;
      f = g;
      g = swap;
      swap = fromF;
      fromF = intoF;
      intoF = swap;
      swap = fromG;
      fromG = intoG;
      intoG = swap;
    }
    // The multiple of f that, added to g, clears as many of its lowest bits as may be cleared before the next swap: f times
    // f is 1 modulo 8, so f is its own inverse there.
    const clearable = Math.min(1 - delta, left, 3);
    const factor = Math.imul(-f, g) & ((1 << clearable) - 1);
    g = (g + Math.imul(f, factor)) | 0;
    intoF += fromF * factor;
    intoG += fromG * factor;
  }
  u = fromF;
  v = fromG;
  q = intoF;
  r = intoG;
  return delta;
}

function applyBatch(f: Float64Array, g: Float64Array, length: number): void {
  let carryF = 0;
  let carryG = 0;
  for (let index = 0; index < length; index++) {
    const limbF = f[index] ?? 0;
    const limbG = g[index] ?? 0;
    const sumF = u * limbF + v * limbG + carryF;
    const sumG = q * limbF + r * limbG + carryG;
    carryF = Math.floor(sumF / limbBase);
    carryG = Math.floor(sumG / limbBase);
    // The lowest limb is zero by construction, and what is above moves down: the division by 2^26.
    if (index > 0) {
      f[index - 1] = sumF - carryF * limbBase;
      g[index - 1] = sumG - carryG * limbBase;
    }
  }
  f[length - 1] = carryF;
  g[length - 1] = carryG;
}

/** Regroups a number of 22-bit limbs into 26-bit limbs, for `jacobiSymbol`. */
export function regroup22To26(source: Float64Array, target: Float64Array): void {
  let held = 0;
  let heldBits = 0;
  let next = 0;
  for (const limb of source) {
    held += limb * 2 ** heldBits;
    heldBits += 22;
    if (heldBits >= limbBits) {
      target[next++] = held & limbMask;
      held = Math.floor(held / limbBase);
      heldBits -= limbBits;
    }
  }
  target[next++] = held;
  target.fill(0, next);
}
