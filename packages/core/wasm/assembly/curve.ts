import { addSmall, multiply, readElement } from './field';
import { jacobiOverPrime } from './jacobi';

// The d of Ed25519 (RFC 8032, section 5.1), little-endian.
const curveConstantBytes: usize = memory.data<u8>([
  0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75, 0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00, 0x98, 0xe8, 0x79,
  0x77, 0x79, 0x40, 0xc7, 0x8c, 0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52,
]);
const curveConstant: usize = memory.data(9 * 8, 16);
const ySquared: usize = memory.data(9 * 8, 16);
const denominator: usize = memory.data(9 * 8, 16);
readElement(curveConstantBytes, curveConstant);

/**
 * Says whether 32 bytes decompress to a point of -x^2 + y^2 = 1 + d x^2 y^2, as the Solana runtime does it.
 *
 * The runtime asks curve25519-dalek: y is taken modulo p, the sign bit is ignored, and there is an x exactly when
 * (y^2 - 1) / (d y^2 + 1) is a square. That is so exactly when (y^2 - 1) (d y^2 + 1) is one, for the two differ by the square
 * of the denominator, which is never zero since -1 / d is no square; and the Jacobi symbol over a prime says whether
 * a number is a square without taking its root.
 */
export function isOnCurve(bytes: usize): bool {
  readElement(bytes, ySquared);
  multiply(ySquared, ySquared, ySquared);
  multiply(ySquared, curveConstant, denominator);
  addSmall(denominator, 1);
  addSmall(ySquared, -1);
  multiply(ySquared, denominator, ySquared);
  return jacobiOverPrime(ySquared) != -1;
}
