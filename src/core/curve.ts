import { addSmall, limbCount, multiply, newElement, readElement } from './field-25519.ts';
import { jacobiSymbol, regroup22To26 } from './jacobi.ts';

// Ed25519: -x^2 + y^2 = 1 + d x^2 y^2 over p = 2^255 - 19 (RFC 8032, section 5.1).
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const jacobiLimbs = 11;
const curveConstant = toLimbs(d, 22n, limbCount);
const modulus = toLimbs(p, 26n, jacobiLimbs);

// Working space, used anew by every call: nothing here waits, so no two calls meet.
const ySquared = newElement();
const denominator = newElement();
const f = new Float64Array(jacobiLimbs);
const g = new Float64Array(jacobiLimbs);

/**
 * Says whether 32 bytes decompress to a point of the Ed25519 curve, as the Solana runtime does it.
 *
 * An address on the curve can have a private key; one off it can only be a program's. The runtime asks curve25519-dalek:
 * y is taken modulo p, the sign bit is ignored, and there is an x exactly when (y^2 - 1) / (d y^2 + 1) is a square. That is
 * so exactly when (y^2 - 1) (d y^2 + 1) is one, for the two differ by the square of the denominator, which is never zero
 * since -1 / d is no square; and the Jacobi symbol says whether a number is a square without taking its root.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  readElement(bytes, ySquared);
  multiply(ySquared, ySquared, ySquared);
  multiply(ySquared, curveConstant, denominator);
  addSmall(denominator, 1);
  // A y of 0 gives y^2 - 1 = -1, which is p - 1: added as such, so that no limb is negative.
  const isZero = ySquared.every((limb) => limb === 0);
  if (isZero) return isSquare(toElement(p - 1n));
  addSmall(ySquared, -1);
  multiply(ySquared, denominator, ySquared);
  return isSquare(ySquared);
}

function isSquare(element: Float64Array): boolean {
  regroup22To26(element, g);
  f.set(modulus);
  // No symbol means a common factor with the prime p: the element is 0, whose root is 0.
  return jacobiSymbol(g, f) !== -1;
}

function toElement(value: bigint): Float64Array {
  return toLimbs(value, 22n, limbCount);
}

function toLimbs(value: bigint, bits: bigint, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) =>
    Number((value >> (bits * BigInt(index))) & (2n ** bits - 1n)),
  );
}
