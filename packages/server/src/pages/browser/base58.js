const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Base58 of a signature.
 * @param {Uint8Array} bytes
 */
export function toBase58(bytes) {
  let text = '';
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  for (; rest > 0n; rest /= 58n) text = alphabet.charAt(Number(rest % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}
