// FIPS 180-4. Not WebCrypto: React Native has none, and this one answers at once.
const primes: number[] = [];
for (let number = 2; primes.length < 64; number++) {
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);
}
// 32 bits of the fractions of roots. Each is thousands of times as far from a rounding as a float may be off.
const roundConstants = Int32Array.from(primes, (prime) => firstBits(Math.cbrt(prime)));
const startState = Int32Array.from(primes.slice(0, 8), (prime) => firstBits(Math.sqrt(prime)));
const blockLength = 64;

/** Returns the SHA-256 digest of bytes: 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A one bit, zeros, and the length in bits as a u64.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockLength) * blockLength);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = startState.slice();
  for (let offset = 0; offset < padded.length; offset += blockLength) addBlock(state, view, offset);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

const schedule = new Int32Array(64);

function addBlock(state: Int32Array, view: DataView, offset: number): void {
  for (let at = 0; at < 64; at++) {
    schedule[at] = at < 16 ? view.getInt32(offset + 4 * at) : nextWord(at);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + rotations(e, 6, 11, 25) + choice + (roundConstants[at] ?? 0) + (schedule[at] ?? 0)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (rotations(a, 2, 13, 22) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word;
  });
}

function nextWord(at: number): number {
  const [near = 0, far = 0] = [schedule[at - 2], schedule[at - 15]];
  const small = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
  const large = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
  return small + large + (schedule[at - 7] ?? 0) + (schedule[at - 16] ?? 0);
}

function rotations(word: number, first: number, second: number, third: number): number {
  return rotate(word, first) ^ rotate(word, second) ^ rotate(word, third);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function firstBits(root: number): number {
  return (root % 1) * 2 ** 32;
}
