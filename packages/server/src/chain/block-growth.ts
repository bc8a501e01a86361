/** Returns whether so many blocks can have been added in so many slots: a slot has one block or none. Both may be negative. */
export function isPossibleGrowth(slots: bigint, blocks: bigint): boolean {
  return slots < 0n ? slots <= blocks && blocks <= 0n : 0n <= blocks && blocks <= slots;
}
