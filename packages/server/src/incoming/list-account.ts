import type { Address } from 'splwright-core';
import type { HistoryEntry, NodeHistory } from '../chain/chain-history.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { AddressHistory, type HistoryMark, Selection } from '../outcomes/address-history.ts';

/** How far the history of a token account is known. */
export interface AccountPosition {
  /** Of earlier slots everything is known, or of no interest. */
  floorSlot: bigint;
  /** A transaction in an earlier slot, but not the newest of those: a list that ends with it shows that it reaches below the floor. */
  until: string | null;
}

export interface AccountList {
  /** Those of the floor slot and later ones, the newest first. */
  entries: readonly HistoryEntry[];
  /** Whether the list reached down to the floor; otherwise there is more than one scan lists. */
  isWhole: boolean;
  /** Whether it ended above what is known: the node has lost a part, or does not have it yet. */
  hasGap: boolean;
}

// As many transactions as an account can have in the time until they settle, so that it can be caught up with.
const maxPages = 10;

// What is not stepped over is listed again, which costs some bytes; a step costs a write.
const minStep = 20;

/**
 * Lists what is new in the history of a token account at one node, beginning at `mark` where it is given.
 *
 * Throws the `UpstreamFault` of the node, and a `CannotTell` when it contradicts itself.
 */
export async function listAccount(
  node: NodeHistory,
  tokenAccount: Address,
  { floorSlot, until }: AccountPosition,
  { mark, deadline }: { mark: HistoryMark | undefined; deadline: Deadline },
): Promise<AccountList> {
  const selection = new Selection();
  const history = new AddressHistory({
    address: tokenAccount,
    range: { ...(until !== null && { until }), resume: mark, maxPages },
    selections: [selection],
    readPage: (address, page) => node.readSignatures(address, page, deadline),
  });
  // A list that ends with something known proves itself. Without it the proof costs a further call, until there is a step.
  const isKnown = until !== null;
  let list = await history.read({ floorSlot, needsProof: isKnown });
  if (list.entries.length >= minStep) list = await history.read({ floorSlot, needsProof: true });
  const { entries, isWhole } = list;
  return { entries, isWhole, hasGap: isKnown && isWhole && selection.since(0n).length === entries.length };
}

/** Returns the position after a whole list; the same one while a step over what is settled is not worth it. */
export function positionAfter(
  position: AccountPosition,
  entries: readonly HistoryEntry[],
  isSettled: (entry: HistoryEntry) => boolean,
): AccountPosition {
  const settled = entries.slice(entries.findLastIndex((entry) => !isSettled(entry)) + 1);
  const floorSlot = settled[0]?.slot;
  if (floorSlot === undefined || settled.length < minStep) return position;
  const newestBelow = settled.findIndex(({ slot }) => slot < floorSlot);
  const next = newestBelow < 0 ? undefined : settled[newestBelow + 1];
  return { floorSlot, until: next?.signature ?? position.until };
}

/** Returns where the next list begins after one that is not whole: in its middle, so that the last one, too, has much to read. */
export function markIn(entries: readonly HistoryEntry[]): HistoryMark | undefined {
  const middle = Math.floor(entries.length / 2);
  const [newer, older] = entries.slice(middle - 1, middle + 1);
  return newer && older && [newer, older];
}
