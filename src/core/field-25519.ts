/** Limbs of an element: 22 bits each, least significant first, 264 bits in all, not always fully reduced. */
export const limbCount = 12;
const limbBits = 22;
const limbBase = 2 ** limbBits;

// 2^264 = 2^9 * 2^255, and 2^255 = 19 modulo p = 2^255 - 19.
const foldFactor = 19 * 2 ** 9;

/** An element of the field of 2^255 - 19. Doubles hold every product of two limbs, and sums of many, exactly. */
export type FieldElement = Float64Array;

/** Makes an element of zero. */
export function newElement(): FieldElement {
  return new Float64Array(limbCount);
}

/** Reads the lowest 255 bits of 32 little-endian bytes. */
export function readElement(bytes: Uint8Array, target: FieldElement): void {
  let held = 0;
  let heldBits = 0;
  let next = 0;
  for (let index = 0; index < 32; index++) {
    const byte = index === 31 ? (bytes[index] ?? 0) & 0x7f : (bytes[index] ?? 0);
    held |= byte << heldBits;
    heldBits += 8;
    if (heldBits >= limbBits) {
      target[next++] = held & (limbBase - 1);
      held >>>= limbBits;
      heldBits -= limbBits;
    }
  }
  target[next] = held;
}

const product = new Float64Array(2 * limbCount);

/** Multiplies two elements into a third, which may be one of them. */
export function multiply(a: FieldElement, b: FieldElement, target: FieldElement): void {
  product.fill(0);
  for (let i = 0; i < limbCount; i++) {
    const limb = a[i] ?? 0;
    for (let j = 0; j < limbCount; j++) product[i + j] = (product[i + j] ?? 0) + limb * (b[j] ?? 0);
  }
  carryThrough(product, 2 * limbCount);
  for (let i = 0; i < limbCount; i++) target[i] = (product[i] ?? 0) + foldFactor * (product[i + limbCount] ?? 0);
  reduce(target);
}

/** Adds a small number, which may be negative where the element is not smaller. */
export function addSmall(element: FieldElement, addend: number): void {
  element[0] = (element[0] ?? 0) + addend;
  reduce(element);
}

// Carries until every limb has its 22 bits, folding what overflows back in at the bottom.
function reduce(element: FieldElement): void {
  let overflow = carryThrough(element, limbCount);
  while (overflow !== 0) {
    element[0] = (element[0] ?? 0) + overflow * foldFactor;
    overflow = carryThrough(element, limbCount);
  }
}

function carryThrough(limbs: Float64Array, count: number): number {
  let carry = 0;
  for (let index = 0; index < count; index++) {
    const value = (limbs[index] ?? 0) + carry;
    carry = Math.floor(value / limbBase);
    limbs[index] = value - carry * limbBase;
  }
  return carry;
}
