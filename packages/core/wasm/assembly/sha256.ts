import { copy32 } from './memory';

// FIPS 180-4. A digest is computed block by block, so that the state after the blocks that stay the same can be kept.

const roundConstants: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);
const initialState: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);
const schedule: usize = memory.data(64 * 4, 16);

/** Sets a state of eight words to that of an empty message. */
export function startState(state: usize): void {
  copy32(state, initialState);
}

/** Takes the 64 bytes at `block` into the state. */
export function compress(state: usize, block: usize): void {
  expand(block, schedule);
  compressExpanded(state, schedule);
}

/** Expands the 64 bytes at `block` to the 64 words of a schedule. */
export function expand(block: usize, schedule: usize): void {
  for (let index: usize = 0; index < 64; index += 4) {
    store<u32>(schedule + index, bswap<u32>(load<u32>(block + index)));
  }
  let before = load<u32>(schedule, 56);
  let last = load<u32>(schedule, 60);
  for (let at = schedule; at < schedule + 192; at += 4) {
    const next = load<u32>(at) + smallSigma0(load<u32>(at, 4)) + load<u32>(at, 36) + smallSigma1(before);
    before = last;
    last = next;
    store<u32>(at, next, 64);
  }
}

/** Takes an expanded block into the state. */
export function compressExpanded(state: usize, schedule: usize): void {
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  for (let index: usize = 0; index < 256; index += 4) {
    const sum = h + load<u32>(schedule + index) + load<u32>(roundConstants + index) + choice(e, f, g) + bigSigma1(e);
    h = g;
    g = f;
    f = e;
    e = d + sum;
    d = c;
    c = b;
    b = a;
    a = sum + majority(b, c, d) + bigSigma0(b);
  }
  store<u32>(state, load<u32>(state) + a);
  store<u32>(state, load<u32>(state, 4) + b, 4);
  store<u32>(state, load<u32>(state, 8) + c, 8);
  store<u32>(state, load<u32>(state, 12) + d, 12);
  store<u32>(state, load<u32>(state, 16) + e, 16);
  store<u32>(state, load<u32>(state, 20) + f, 20);
  store<u32>(state, load<u32>(state, 24) + g, 24);
  store<u32>(state, load<u32>(state, 28) + h, 28);
}

/** Writes the state as the 32 bytes of a digest. */
export function writeDigest(state: usize, target: usize): void {
  for (let index: usize = 0; index < 32; index += 4) {
    store<u32>(target + index, bswap<u32>(load<u32>(state + index)));
  }
}

// The functions of section 4.1.2.

function choice(e: u32, f: u32, g: u32): u32 {
  return g ^ (e & (f ^ g));
}

function majority(a: u32, b: u32, c: u32): u32 {
  return (b & c) | (a & (b | c));
}

function bigSigma0(a: u32): u32 {
  return rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
}

function bigSigma1(e: u32): u32 {
  return rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
}

function smallSigma0(w: u32): u32 {
  return rotr<u32>(w, 7) ^ rotr<u32>(w, 18) ^ (w >>> 3);
}

function smallSigma1(w: u32): u32 {
  return rotr<u32>(w, 17) ^ rotr<u32>(w, 19) ^ (w >>> 10);
}
