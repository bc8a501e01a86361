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

/**
 * The bytes of a text in base58. Throws if the text is not base58.
 * @param {string} text
 */
export function fromBase58(text) {
  let number = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) throw new Error('this is not base58');
    number = number * 58n + BigInt(digit);
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  const hex = number === 0n ? '' : number.toString(16);
  const pairs = hex.padStart(hex.length + (hex.length % 2), '0').match(/../g) ?? [];
  return Uint8Array.from([...new Array(zeros).fill(0), ...pairs.map((pair) => Number.parseInt(pair, 16))]);
}
