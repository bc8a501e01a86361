import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { positionInWindow, validityWindowOf } from '../../src/outcomes/validity-window.ts';
import { OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const unsigned = (await scene.build()).intent;
const signed = { ...unsigned, isSigned: true };

// A cluster where a quarter of the slots was skipped.
const finalized = { slot: 400_000n, blockHeight: 300_000n };

describe('the life of a transaction', () => {
  test('is not known without its last valid block height', () => {
    assert.equal(validityWindowOf({ intent: signed, lastValidBlockHeight: undefined }, finalized), undefined);
  });

  test('ends one block after the last valid height when it is signed, and 150 later when it is not', () => {
    const lastHeightOf = (intent: typeof signed) =>
      validityWindowOf({ intent, lastValidBlockHeight: 300_000n }, finalized)?.lastHeight;
    assert.equal(lastHeightOf(signed), 300_001n);
    assert.equal(lastHeightOf(unsigned), 300_151n);
  });

  test('is over when the finalized height is past its end', () => {
    const isOverAt = (lastValidBlockHeight: bigint) =>
      validityWindowOf({ intent: signed, lastValidBlockHeight }, finalized)?.isOver;
    assert.equal(isOverAt(299_999n), false);
    assert.equal(isOverAt(299_998n), true);
  });

  test('began at a slot that is no lower than four slots a block, and 1,000, before the finalized one', () => {
    const floorOf = (lastValidBlockHeight: bigint) =>
      validityWindowOf({ intent: signed, lastValidBlockHeight }, finalized)?.floorSlot;
    assert.equal(floorOf(300_149n), 400_000n - 4n - 1_000n);
    assert.equal(floorOf(300_150n), 399_000n);
    assert.equal(floorOf(300_151n), 399_000n);
    assert.equal(floorOf(2n ** 64n - 1n), 399_000n);
    assert.equal(floorOf(300_150n - 99_750n), 0n);
    assert.equal(floorOf(300_150n - 99_749n), 4n);
    assert.equal(floorOf(0n), 0n);
    const { floorSlot } =
      validityWindowOf({ intent: signed, lastValidBlockHeight: 300_150n }, { ...finalized, slot: 1_001n }) ?? {};
    assert.equal(floorSlot, 1n);
  });

  test('has the blocks from its blockhash to its end; up to 999 before may be of a newer blockhash, all later ones doubtful', () => {
    const window = validityWindowOf({ intent: unsigned, lastValidBlockHeight: 300_150n }, finalized);
    assert.ok(window);
    const places = [298_999n, 299_000n, 299_001n, 299_999n, 300_000n, 300_301n, 300_302n, 900_000n];
    assert.deepEqual(
      places.map((height) => positionInWindow(window, height)),
      ['before', 'before', 'doubtful', 'doubtful', 'within', 'within', 'doubtful', 'doubtful'],
    );
  });
});
