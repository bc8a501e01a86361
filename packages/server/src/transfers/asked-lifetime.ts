import type { BlockhashLifetime, Finding, RecentBlockhash } from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150n;

/** The lifetime that a request asks for, or why no transaction can live by it. */
export type AskedLifetime = { lifetime: BlockhashLifetime } | { finding: Finding };

/**
 * Asks the upstream whether transactions with the blockhash of a request are accepted now.
 *
 * The last valid block height is the caller's where it can be right, otherwise the highest possible one: until then the transaction
 * is never called expired. Throws an `AppError` when the chain cannot be read.
 */
export async function readAskedLifetime(
  reader: Pick<ChainReader, 'isBlockhashValid' | 'readBlockhash'>,
  { blockhash, lastValidBlockHeight }: RecentBlockhash,
  deadline: Deadline,
): Promise<AskedLifetime> {
  const [newest, { slot, isValid }] = await Promise.all([
    reader.readBlockhash(deadline),
    reader.isBlockhashValid(blockhash, deadline),
  ]);
  const refuse = (fault: Extract<Finding, { code: 'blockhash_not_valid' }>['context']['fault']): AskedLifetime => {
    const field = fault.kind === 'not_valid' ? 'recentBlockhash' : 'lastValidBlockHeight';
    return { finding: { code: 'blockhash_not_valid', field, context: { blockhash, fault } } };
  };
  if (!isValid) return refuse({ kind: 'not_valid' });
  // One that is valid is as old as the newest block at least, and no slot since the newest known blockhash has more than one block.
  const min = newest.lastValidBlockHeight - blockhashLifetimeBlocks;
  const max = newest.lastValidBlockHeight + (slot > newest.slot ? slot - newest.slot : 0n);
  if (lastValidBlockHeight === undefined) return { lifetime: { blockhash, lastValidBlockHeight: max } };
  if (lastValidBlockHeight >= min && lastValidBlockHeight <= max)
    return { lifetime: { blockhash, lastValidBlockHeight } };
  return refuse({ kind: 'impossible_height', lastValidBlockHeight, min, max });
}
