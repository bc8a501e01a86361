import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair } from '@solana/web3.js';
import { isOnCurve } from '../../src/addresses/curve.ts';

const p = 2n ** 255n - 19n;
const { Fp } = ed25519.Point;
const { d } = ed25519.Point.CURVE();
// The curve test computes (y^2 + shift)^2 + offset.
const shift = Fp.div(Fp.sub(Fp.inv(d), 1n), 2n);
const offset = Fp.neg(Fp.sqr(Fp.div(Fp.add(Fp.inv(d), 1n), 2n)));

/** The runtime's rule is that of ZIP 215: y may be p or more, and the sign bit of x = 0 does not matter. */
function isOnCurveByWitness(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

test('2,000 random inputs are on the curve exactly when the reference library decompresses them', () => {
  const random = randomBytes(2_000 * 32);
  let onCurve = 0;
  for (let start = 0; start < random.length; start += 32) {
    const bytes = Uint8Array.from(random.subarray(start, start + 32));
    const expected = isOnCurveByWitness(bytes);
    if (isOnCurve(bytes) !== expected) assert.equal(isOnCurve(bytes), expected, Buffer.from(bytes).toString('hex'));
    if (expected) onCurve++;
  }
  assert.ok(onCurve > 850 && onCurve < 1_150, `${onCurve} of 2,000 are on the curve`);
});

test('500 inputs of which most bytes are 0 or 255, so that carries run far, get the answer of the reference library', () => {
  const random = randomBytes(500 * 64);
  for (let start = 0; start < random.length; start += 64) {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => {
      const choice = random[start + 32 + index] ?? 0;
      if (choice < 100) return 0;
      return choice < 200 ? 255 : (random[start + index] ?? 0);
    });
    const expected = isOnCurveByWitness(bytes);
    if (isOnCurve(bytes) !== expected) assert.equal(isOnCurve(bytes), expected, Buffer.from(bytes).toString('hex'));
  }
});

test('every y whose square is next to what the curve test adds to it gets the answer of the reference library', () => {
  // Both squares are made as small, or as large, as they get.
  const rootOfOffset = Fp.sqrt(Fp.neg(offset));
  let compared = 0;
  for (const base of [Fp.neg(shift), Fp.sub(rootOfOffset, shift), Fp.neg(Fp.add(rootOfOffset, shift))]) {
    for (let distance = -20n; distance <= 20n; distance++) {
      const ySquared = Fp.create(base + distance);
      if (!Fp.eql(Fp.pow(ySquared, (p - 1n) / 2n), 1n)) continue;
      const bytes = littleEndian(Fp.sqrt(ySquared));
      assert.equal(isOnCurve(bytes), isOnCurveByWitness(bytes), Buffer.from(bytes).toString('hex'));
      compared++;
    }
  }
  assert.ok(compared > 30, `${compared} were compared`);
});

/** Numbers next to p and in simple ratios to it, powers of two and their sums: what the Euclidean algorithm meets at random once in ages. */
function* unusualElements(): Generator<bigint> {
  for (let bit = 0n; bit < 255n; bit += 3n) {
    yield 1n << bit;
    yield p >> bit;
    yield (p >> bit) + 1n;
    yield (1n << bit) - (1n << (bit / 2n));
    yield (1n << bit) + (1n << (bit / 3n));
    // Its highest 32 bits and its lowest 32 are those of p.
    yield p - ((1n << (bit % 190n)) << 32n);
  }
  for (let divisor = 2n; divisor < 20n; divisor++) {
    yield p / divisor;
    yield p / divisor + 1n;
  }
  // Quotients of 1 all the way down.
  let [shorter, longer] = [1n, 1n];
  while (longer < p) {
    [shorter, longer] = [longer, shorter + longer];
    yield (p * shorter) / longer;
  }
}

test('every y from which the curve test comes to an unusual number gets the answer of the reference library', () => {
  const rootsOf = (value: bigint): bigint[] => {
    if (!Fp.eql(Fp.pow(value, (p - 1n) / 2n), 1n)) return [];
    const root = Fp.sqrt(value);
    return [root, Fp.neg(root)];
  };
  let compared = 0;
  for (const unusual of unusualElements()) {
    for (const element of [Fp.create(unusual), Fp.neg(unusual)]) {
      // (y^2 + shift)^2 + offset = element
      const [y] = rootsOf(Fp.sub(element, offset)).flatMap((root) => rootsOf(Fp.sub(root, shift)));
      if (y === undefined) continue;
      const bytes = littleEndian(y);
      assert.equal(isOnCurve(bytes), isOnCurveByWitness(bytes), Buffer.from(bytes).toString('hex'));
      compared++;
    }
  }
  assert.ok(compared > 400, `${compared} were compared`);
});

test('every y near 0, p and 2^255, with either sign bit, gets the answer of the reference library', () => {
  const edges = [0n, p, 2n ** 254n, 2n ** 255n].flatMap((middle) =>
    Array.from({ length: 64 }, (_, index) => middle + BigInt(index) - 32n),
  );
  for (const y of edges.filter((value) => value >= 0n && value < 2n ** 255n)) {
    for (const encoded of [y, y + 2n ** 255n]) {
      assert.equal(isOnCurve(littleEndian(encoded)), isOnCurveByWitness(littleEndian(encoded)), `${encoded}`);
    }
  }
});

test('the eight points of small order are on the curve', () => {
  // curve25519-dalek's EIGHT_TORSION.
  const smallOrder = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  for (const hex of smallOrder) {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    assert.ok(ed25519.Point.fromBytes(bytes, true).isSmallOrder(), hex);
    assert.equal(isOnCurve(bytes), true, hex);
  }
});

test('bytes within a larger buffer are read from where they stand', () => {
  const key = Keypair.generate().publicKey.toBytes();
  const larger = new Uint8Array(100).fill(2);
  larger.set(key, 13);
  assert.equal(isOnCurve(larger.subarray(13, 45)), true);
});
