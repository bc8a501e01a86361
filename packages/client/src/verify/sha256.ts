// FIPS 180-4. Not WebCrypto: React Native has none, and this one answers at once.
const primes: number[] = [];
for (let number = 2; primes.length < 64; number++) {
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);
}
// 32 bits of the fractions of roots. Each is thousands of times as far from a rounding as a float may be off.
const firstBits = (root: number): number => ((root % 1) * 2 ** 32) | 0;
const roundConstants = primes.map((prime) => firstBits(Math.cbrt(prime)));
const startState = primes.slice(0, 8).map((prime) => firstBits(Math.sqrt(prime)));
const blockLength = 64;

/** Returns the SHA-256 digest of bytes: 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A one bit, zeros, and the length in bits as a u64.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockLength) * blockLength);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  let state: readonly number[] = startState;
  for (let offset = 0; offset < padded.length; offset += blockLength) state = addBlock(state, view, offset);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function addBlock(state: readonly number[], view: DataView, offset: number): readonly number[] {
  const schedule: number[] = [];
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const near = schedule[at - 2] ?? 0;
    const far = schedule[at - 15] ?? 0;
    const large = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
    const small = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
    const word =
      at < 16 ? view.getInt32(offset + 4 * at) : large + small + (schedule[at - 7] ?? 0) + (schedule[at - 16] ?? 0);
    schedule.push(word | 0);
    const ofE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + ofE + ((e & f) ^ (~e & g)) + (roundConstants[at] ?? 0) + word) | 0;
    const ofA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = ofA + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] ?? 0)) | 0);
}
