import type { HookExtraAccount } from '../accounts/hook-account-list.ts';

/** What a hooked transfer has that takes memory of Token-2022 in addition to the hook's own accounts. */
export interface HookMemory {
  /** Accounts between the transfer's own and the hook's. */
  referenceCount: number;
  /** Bytes of the memo, where the recipient's token account demands one: Token-2022 reads all of it. 0 where it does not. */
  demandedMemoBytes: number;
}

/**
 * The most extra accounts with which a hook runs.
 *
 * Token-2022 finds them and builds the hook's instruction on a heap of 32 KiB that it never frees. Measured, with 0 to 10
 * references, every number of seeds, of up to 30 bytes, and memos of up to 3,700 bytes: room for seeds doubles at 1, 5 and 9.
 */
export function maxExtraAccounts(list: readonly HookExtraAccount[], memory: HookMemory): number {
  const maxSeeds = Math.max(0, ...list.map((extra) => seedsOf(extra).length));
  const withoutMemo = maxWithoutMemo(maxSeeds, Math.max(0, ...list.map(literalMemory)), memory.referenceCount);
  return memory.demandedMemoBytes === 0 ? withoutMemo : Math.min(withoutMemo, maxWithMemo(maxSeeds, memory));
}

function maxWithoutMemo(maxSeeds: number, maxLiteralMemory: number, referenceCount: number): number {
  if (maxSeeds > 8) return 11;
  if (maxSeeds > 4) return 13;
  if (referenceCount > 2) return 14;
  // Of each extra account a reference takes as much as eight bytes of literal seeds.
  return maxLiteralMemory + 8 * referenceCount <= 24 ? 15 : 14;
}

// In bytes of memo, rounded so that all that was measured stays within: what is left to a memo by the most extra accounts
// that run with one, what a reference takes of that, and what each extra account fewer leaves.
const roomForMemo = 1_000;
const memoBytesOfReference = 60;
const memoBytesOfExtra = 1_300;

function maxWithMemo(maxSeeds: number, { referenceCount, demandedMemoBytes }: HookMemory): number {
  const most = maxSeeds > 8 ? 11 : maxSeeds > 4 ? 13 : maxSeeds > 0 ? 14 : 15;
  const missing = demandedMemoBytes + memoBytesOfReference * referenceCount - roomForMemo;
  return missing <= 0 ? most : most - Math.ceil(missing / memoBytesOfExtra);
}

function seedsOf({ source }: HookExtraAccount): Extract<HookExtraAccount['source'], { seeds: unknown }>['seeds'] {
  return 'seeds' in source ? source.seeds : [];
}

// Literal seeds are copied, each to a multiple of eight bytes; the others are used where they are.
function literalMemory(extra: HookExtraAccount): number {
  return seedsOf(extra).reduce((sum, seed) => sum + ('bytes' in seed ? Math.ceil(seed.bytes.length / 8) * 8 : 0), 0);
}
