// Ed25519: -x^2 + y^2 = 1 + d x^2 y^2 over p = 2^255 - 19 (RFC 8032, section 5.1).
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const signBitMask = (1n << 255n) - 1n;

/**
 * Says whether 32 bytes decompress to a point of the Ed25519 curve, as the Solana runtime does it.
 *
 * An address on the curve can have a private key; one off it can only be a program's. The runtime asks curve25519-dalek:
 * y is taken modulo p, the sign bit is ignored, and there is an x exactly when (y^2 - 1) / (d y^2 + 1) is a square.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & signBitMask;
  const ySquared = (y * y) % p;
  const numerator = (ySquared + p - 1n) % p;
  const denominator = (d * ySquared + 1n) % p;
  // u / v is a square exactly when u * v is: they differ by the square v^2. v is never 0, since -1 / d is no square.
  const product = (numerator * denominator) % p;
  return product === 0n || power(product, (p - 1n) / 2n) === 1n;
}

function littleEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    view.getBigUint64(0, true) |
    (view.getBigUint64(8, true) << 64n) |
    (view.getBigUint64(16, true) << 128n) |
    (view.getBigUint64(24, true) << 192n)
  );
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p;
    square = (square * square) % p;
  }
  return result;
}
