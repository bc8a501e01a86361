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

// Written out, without functions for the rotations: it runs a few times only, before anything is compiled.
function addBlock(state: Int32Array, view: DataView, offset: number): void {
  for (let at = 0; at < 16; at++) schedule[at] = view.getInt32(offset + 4 * at);
  for (let at = 16; at < 64; at++) {
    const near = schedule[at - 2] ?? 0;
    const far = schedule[at - 15] ?? 0;
    const large = ((near >>> 17) | (near << 15)) ^ ((near >>> 19) | (near << 13)) ^ (near >>> 10);
    const small = ((far >>> 7) | (far << 25)) ^ ((far >>> 18) | (far << 14)) ^ (far >>> 3);
    schedule[at] = small + large + (schedule[at - 7] ?? 0) + (schedule[at - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const ofE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + ofE + ((e & f) ^ (~e & g)) + (roundConstants[at] ?? 0) + (schedule[at] ?? 0)) | 0;
    const ofA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (ofA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

function firstBits(root: number): number {
  return (root % 1) * 2 ** 32;
}
