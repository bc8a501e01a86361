import { readElement, squarePlus } from './field';
import { jacobiOverPrime } from './jacobi';

// With d of Ed25519 (RFC 8032, section 5.1): (1 / d - 1) / 2, and p - ((1 / d + 1) / 2)^2, little-endian.
const shiftBytes: usize = memory.data<u8>([
  0x21, 0xfc, 0xe4, 0x66, 0x3b, 0x79, 0xf0, 0x12, 0x17, 0xaa, 0x3c, 0x21, 0x4c, 0xeb, 0xae, 0x05, 0xb3, 0xe7, 0xdc,
  0x66, 0x8a, 0x10, 0x8b, 0x95, 0x21, 0xe7, 0x6a, 0x0a, 0x69, 0x3f, 0x48, 0x20,
]);
const offsetBytes: usize = memory.data<u8>([
  0xb2, 0xa8, 0x6b, 0x56, 0xae, 0x16, 0x1d, 0x49, 0x50, 0x09, 0x54, 0x8e, 0x6c, 0x6e, 0xd8, 0xf7, 0xbc, 0xa4, 0x1a,
  0x7d, 0xc5, 0x27, 0xf0, 0xf4, 0x99, 0xe3, 0x6d, 0x84, 0x1b, 0x8a, 0xc0, 0x5f,
]);
const shift: usize = memory.data(9 * 8, 16);
const offset: usize = memory.data(9 * 8, 16);
const element: usize = memory.data(9 * 8, 16);
readElement(shiftBytes, shift);
readElement(offsetBytes, offset);

/**
 * Says whether 32 bytes decompress to a point of -x^2 + y^2 = 1 + d x^2 y^2, as the Solana runtime does it.
 *
 * The runtime asks curve25519-dalek: y is taken modulo p, the sign bit is ignored, and there is an x exactly when
 * (y^2 - 1) / (d y^2 + 1) is a square. That is so exactly when (y^2 - 1) (d y^2 + 1) is one, for the two differ by the square
 * of the denominator, which is never zero since -1 / d is no square; and the Jacobi symbol over a prime says whether
 * a number is a square without taking its root.
 *
 * That product is d (y^2 - 1) (y^2 + 1 / d), and d is no square, so that it is a square exactly when the rest is none, or zero.
 * The rest is a difference of two squares, of which one is a constant: (y^2 + (1 / d - 1) / 2)^2 - ((1 / d + 1) / 2)^2.
 */
export function isOnCurve(bytes: usize): bool {
  readElement(bytes, element);
  squarePlus(element, shift);
  squarePlus(element, offset);
  return jacobiOverPrime(element) != 1;
}
