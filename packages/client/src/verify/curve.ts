const prime = 2n ** 255n - 19n;
/** -121665/121666. */
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Says whether 32 bytes are a point of the Ed25519 curve, so that they can be the address of a key; others belong to programs.
 *
 * They are y in little-endian order, below the sign of x, and taken modulo the prime as the runtime takes them. There is an x where
 * (y² - 1) / (d y² + 1) is a square: by Euler's criterion, where its power of (prime - 1) / 2 is not -1.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let number = 0n;
  for (let at = 24; at >= 0; at -= 8) number = (number << 64n) | view.getBigUint64(at, true);
  const y = (number & (2n ** 255n - 1n)) % prime;
  const square = (y * y) % prime;
  return powerOfHalf(((square - 1n + prime) * (d * square + 1n)) % prime) !== prime - 1n;
}

// (prime - 1) / 2 = 2^254 - 10 = 2^4 (2^250 - 1) + 6: 254 squarings and few multiplications. `of5` is the power of 2^5 - 1.
function powerOfHalf(number: bigint): bigint {
  const times = (left: bigint, right: bigint): bigint => (left * right) % prime;
  const join = (high: bigint, bits: number, low: bigint): bigint => {
    let result = high;
    for (let bit = 0; bit < bits; bit++) result = (result * result) % prime;
    return times(result, low);
  };
  const of2 = join(number, 1, number);
  const of5 = join(join(of2, 2, of2), 1, number);
  const of10 = join(of5, 5, of5);
  const of20 = join(of10, 10, of10);
  const of50 = join(join(of20, 20, of20), 10, of10);
  const of100 = join(of50, 50, of50);
  const of250 = join(join(of100, 100, of100), 50, of50);
  return join(of250, 4, join(of2, 1, 1n));
}
