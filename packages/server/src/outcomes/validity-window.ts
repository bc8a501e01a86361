import type { FinalizedHeight } from '../chain/chain-history.ts';
import type { OutcomeItem } from './verdict.ts';

/** Between which blocks a transaction with a blockhash can land. */
export interface ValidityWindow {
  /** The height of the block whose blockhash it has: it lands after that, on the sandbox in that block, too. */
  builtHeight: bigint;
  /** The height of the last block that can take it. */
  lastHeight: bigint;
  /** No block of the window has a lower slot. */
  floorSlot: bigint;
  /** Whether its last block is final, or would be. */
  isOver: boolean;
}

/** Whether an equal payment is the one asked for, may be it, or is an older one. */
export type WindowPosition = 'within' | 'doubtful' | 'before';

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150n;

// A block is checked against the blockhashes up to its parent's, so the block after the last valid height takes it, too.
const parentBlocks = 1n;

/**
 * For how many blocks an unsigned transaction can still land after its own last block, or after its nonce was used.
 *
 * Wallets put a new blockhash into what is unsigned: one taken in the last moment is valid for as long again.
 */
export const replacementBlocks = blockhashLifetimeBlocks + parentBlocks;

// Slots are skipped, so heights say only roughly which slots they are: three skipped of four, and a restart of the cluster.
const maxSlotsPerBlock = 4n;
const floorMarginSlots = 1_000n;

/** Returns the validity window of a transaction with a blockhash; undefined when its last valid block height is not known. */
export function validityWindowOf(
  { intent, lastValidBlockHeight }: OutcomeItem,
  finalized: FinalizedHeight,
): ValidityWindow | undefined {
  if (lastValidBlockHeight === undefined) return undefined;
  const builtHeight = lastValidBlockHeight - blockhashLifetimeBlocks;
  const lastHeight = lastValidBlockHeight + (intent.isSigned ? parentBlocks : replacementBlocks);
  const blocksSince = notBelowZero(finalized.blockHeight - builtHeight);
  return {
    builtHeight,
    lastHeight,
    floorSlot: notBelowZero(finalized.slot - maxSlotsPerBlock * blocksSince - floorMarginSlots),
    isOver: finalized.blockHeight > lastHeight,
  };
}

function notBelowZero(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

// An equal payment this many blocks before a transaction was built may still be that transaction, when the caller named the
// last valid block height of a newer blockhash.
const doubtBlocks = 1_000n;

/** Returns whether an equal payment in the block of this height is the one with this window, may be it, or is an older one. */
export function positionInWindow({ builtHeight, lastHeight }: ValidityWindow, blockHeight: bigint): WindowPosition {
  if (blockHeight >= builtHeight && blockHeight <= lastHeight) return 'within';
  return blockHeight > builtHeight - doubtBlocks ? 'doubtful' : 'before';
}
