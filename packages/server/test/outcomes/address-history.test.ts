import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemProgram } from 'splwright-core';
import type { HistoryEntry } from '../../src/chain/chain-history.ts';
import { nonsense } from '../../src/chain/upstream-faults.ts';
import { AddressHistory } from '../../src/outcomes/address-history.ts';

/** So many transactions, one in each slot from the newest one down. */
function transactions(count: number, newestSlot = 10_000): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    signature: `signature ${index}`,
    slot: BigInt(newestSlot - index),
    error: null,
    memo: null,
    blockTime: null,
    commitment: 'finalized',
  }));
}

/**
 * The history of an address at a node that has these transactions, and the pages and their sizes that were asked for.
 *
 * `fitting`: how many transactions in an answer are not too large.
 */
function historyOf(all: readonly HistoryEntry[], maxPages?: number, fitting = 1_000) {
  const pages: (string | undefined)[] = [];
  const sizes: (number | undefined)[] = [];
  const history = new AddressHistory({
    address: systemProgram,
    range: { ...(maxPages !== undefined && { maxPages }) },
    readPage: async (_, page) => {
      pages.push(page.before);
      sizes.push(page.limit);
      const first = all.findIndex(({ signature }) => signature === page.before) + 1;
      const listed = all.slice(first, first + (page.limit ?? 0));
      if (listed.length > fitting) throw nonsense('too_large', 'its answer is larger than 4194304 bytes');
      return listed;
    },
  });
  return { history, pages, sizes };
}

describe('the history of an address', () => {
  test('is read on after a full page, and each further page begins with the last transaction of the one before', async () => {
    for (const [count, before] of [
      [999, [undefined]],
      [1_000, [undefined, 'signature 998']],
      [1_999, [undefined, 'signature 998', 'signature 1997']],
    ] as const) {
      const { history, pages } = historyOf(transactions(count));
      const { entries, isWhole } = await history.read({ floorSlot: 0n, needsProof: false });
      assert.deepEqual([entries.length, isWhole, pages], [count, true, before]);
    }
  });

  test('is read down to below the floor: others can be in the slot of the floor itself', async () => {
    for (const [floorSlot, count, pageCount] of [
      [9_002n, 999, 1],
      [9_001n, 1_000, 2],
      [9_000n, 1_001, 2],
    ] as const) {
      const { history, pages } = historyOf(transactions(5_000));
      const { entries, isWhole } = await history.read({ floorSlot, needsProof: true });
      assert.deepEqual([entries.length, isWhole, pages.length], [count, true, pageCount]);
      assert.equal(entries.at(-1)?.slot, floorSlot);
    }
  });

  test('is not whole when there are more pages than are read', async () => {
    const all = transactions(5_000);
    for (const [maxPages, isWhole] of [
      [4, false],
      [5, false],
      [6, true],
    ] as const) {
      const { history, pages } = historyOf(all, maxPages);
      assert.equal((await history.read({ floorSlot: 0n, needsProof: false })).isWhole, isWhole);
      assert.equal(pages.length, maxPages);
    }
    assert.equal((await historyOf(all).history.read({ floorSlot: 0n, needsProof: false })).isWhole, false);
  });

  test('is proven to be whole by a further page that has nothing new, unless it has at most one transaction', async () => {
    for (const [count, pageCount] of [
      [0, 1],
      [1, 1],
      [2, 2],
      [3, 2],
    ] as const) {
      const { history, pages } = historyOf(transactions(count));
      const { entries, isWhole } = await history.read({ floorSlot: 0n, needsProof: true });
      assert.deepEqual([entries.length, isWhole, pages.length], [count, true, pageCount]);
    }
  });

  test('is read in smaller pages where one is too large, to its end and as far as in full pages', async () => {
    for (const [count, fitting, sizes] of [
      [760, 250, [1_000, 250, 250, 250, 250, 250]],
      [40, 20, [1_000, 250, 62, 15, 15, 15, 15]],
      [4, 2, [1_000, 250, 62, 15, 3, 2, 2, 2, 2]],
      [1, 1, [1_000]],
    ] as const) {
      const { history, sizes: asked } = historyOf(transactions(count), undefined, fitting);
      const { entries, isWhole } = await history.read({ floorSlot: 0n, needsProof: true });
      assert.deepEqual([entries.length, isWhole, asked], [count, true, sizes]);
    }
    const { history, sizes } = historyOf(transactions(5_000), undefined, 250);
    const { entries, isWhole } = await history.read({ floorSlot: 0n, needsProof: false });
    assert.deepEqual([entries.length, isWhole, sizes.length], [4_981, false, 1 + 20]);
  });

  test('cannot be read where two transactions are too large', async () => {
    const { history } = historyOf(transactions(2), undefined, 1);
    await assert.rejects(history.read({ floorSlot: 0n, needsProof: false }), { kind: 'too_large' });
  });
});
