import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HistoryEntry } from '../../src/chain/chain-history.ts';
import { Selection, type SelectionOptions } from '../../src/outcomes/address-history.ts';

const entry = (signature: string, slot: bigint): HistoryEntry => {
  return { signature, slot, error: null, memo: null, blockTime: null, commitment: 'finalized' };
};

function selectionOf(slots: readonly bigint[], options: SelectionOptions = {}): Selection {
  const selection = new Selection(options);
  for (const slot of slots) selection.offer(entry(`of ${slot}`, slot));
  return selection;
}

const slotsOf = (selection: Selection, floorSlot = 0n): readonly bigint[] =>
  selection.since(floorSlot).map(({ slot }) => slot);

describe('a selection of a history', () => {
  test('has everything down to a floor, the newest first', () => {
    const selection = selectionOf([9n, 8n, 8n, 5n]);
    assert.deepEqual(slotsOf(selection), [9n, 8n, 5n]);
    assert.deepEqual(slotsOf(selection, 8n), [9n, 8n]);
    assert.equal(selection.isOverfull(0n), false);
  });

  test('keeps only what is wanted, and the newest so many of it', () => {
    const selection = selectionOf([9n, 8n, 7n, 6n, 5n], { isWanted: ({ slot }) => slot !== 8n, maxEntries: 2 });
    assert.deepEqual(slotsOf(selection), [9n, 7n]);
  });

  test('is overfull only where a wanted entry that did not fit is not older than the floor', () => {
    const selection = selectionOf([9n, 8n, 7n, 6n], { isWanted: ({ slot }) => slot !== 7n, maxEntries: 2 });
    assert.deepEqual(
      [5n, 6n, 7n, 8n].map((floor) => selection.isOverfull(floor)),
      [true, true, false, false],
    );
    assert.equal(selectionOf([9n, 8n, 7n], { maxEntries: 3 }).isOverfull(0n), false);
    // One that is listed twice needs no more room.
    assert.equal(selectionOf([9n, 8n, 8n], { maxEntries: 2 }).isOverfull(0n), false);
  });
});
