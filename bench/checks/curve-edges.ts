import { isOnCurve } from '../../packages/core/src/index.ts';
import { isOnCurveByNoble } from './noble-curve.ts';

const p = 2n ** 255n - 19n;

/**
 * Compares the curve test with `@noble/curves` on every edge. Returns how many; throws on the first difference.
 *
 * Every y within 64 of 0, p and 2^255 (those of p and more are the non-canonical encodings, those of x = 0 and the small
 * orders are among them or added), each with and without the sign bit.
 */
export function compareCurveEdges(): number {
  const near = [0n, p, 2n ** 255n].flatMap((middle) =>
    Array.from({ length: 129 }, (_, index) => middle + BigInt(index) - 64n),
  );
  // curve25519-dalek's EIGHT_TORSION has two y more than 0, 1 and p - 1.
  const order8 = [
    0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d706a17c7n,
    0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  ];
  const ys = new Set([...near, ...order8].filter((y) => y >= 0n && y < 2n ** 255n));
  for (const y of ys) {
    for (const encoded of [y, y + 2n ** 255n]) {
      const bytes = Uint8Array.from({ length: 32 }, (_, index) => Number((encoded >> BigInt(8 * index)) & 0xffn));
      if (isOnCurve(bytes) !== isOnCurveByNoble(bytes)) throw new Error(`the curve tests differ on ${encoded}`);
    }
  }
  return ys.size * 2;
}
