import { toInteger } from './bytes.ts';

const prime = 2n ** 255n - 19n;

/**
 * Says whether 32 bytes are a point of the Ed25519 curve, so that they can be the address of a key; others belong to programs.
 *
 * They are y in little-endian order, below the sign of x, and taken modulo the prime as the runtime takes them. There is an x where
 * (y² - 1) / (d y² + 1) is a square, with d = -121665 / 121666. As -1 and 121666 are squares, it is one where (y² - 1) (121665 y² - 121666) is.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = (toInteger(bytes) & (2n ** 255n - 1n)) % prime;
  const square = (y * y) % prime;
  return isSquare(((square - 1n) * (121665n * square - 121666n)) % prime);
}

/** Says whether a number below the prime is a square modulo it, by the Jacobi symbol: twos taken out, then the law of reciprocity. */
function isSquare(number: bigint): boolean {
  let upper = number;
  let lower = prime;
  let result = true;
  while (upper > 0n) {
    for (; (upper & 1n) === 0n; upper >>= 1n) {
      const rest = lower & 7n;
      if (rest === 3n || rest === 5n) result = !result;
    }
    if ((upper & lower & 3n) === 3n) result = !result;
    [upper, lower] = [lower % upper, upper];
  }
  return result;
}
