/** Bytes of an address. */
export const addressLength = 32;

// Eight bytes at a time, in the processor's own order, take a fifth of the time of one at a time: compiled, they are no objects.
const wordLength = 8;

/** Copies the 32 bytes of an address. */
export function copyBytes(source: DataView, sourceOffset: number, target: DataView, targetOffset: number): void {
  for (let at = 0; at < addressLength; at += wordLength) {
    target.setBigInt64(targetOffset + at, source.getBigInt64(sourceOffset + at, true), true);
  }
}

/** Whether the 32 bytes of one address are those of another. */
export function areSameBytes(one: DataView, oneOffset: number, other: DataView, otherOffset: number): boolean {
  for (let at = 0; at < addressLength; at += wordLength) {
    if (one.getBigInt64(oneOffset + at, true) !== other.getBigInt64(otherOffset + at, true)) return false;
  }
  return true;
}
