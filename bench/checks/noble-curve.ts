import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Says whether 32 bytes are a point of the curve, as `@noble/curves` does.
 *
 * The runtime's rule is that of ZIP 215: y may be p or more, and the sign bit of x = 0 does not matter.
 */
export function isOnCurveByNoble(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
