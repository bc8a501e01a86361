import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Judge } from '../judge.ts';
import { drawBatch } from './draw-batch.ts';
import { batches } from './judge-batch.ts';
import { sponsored } from './judge-sponsored.ts';

const worlds = 60;
const seed = 5;

describe('the service and the chain agree on batches', () => {
  it(`of seed ${seed}, ${worlds} of them, in any order of their transactions`, async () => {
    const judge = new Judge(batches, seed);
    assert.deepEqual(await judge.judgeAll(worlds), []);
    assert.ok(judge.answers > 0 && judge.answers < worlds, judge.describe());
    assert.ok(judge.happened.has('of several tokens'), judge.describe());
  });

  it(`and on ${worlds} transfers and batches that a sponsor pays for, free and for a fee in the same token or in another`, async () => {
    const judge = new Judge(sponsored, seed);
    assert.deepEqual(await judge.judgeAll(worlds), []);
    for (const what of ['single', 'batch', 'several tokens'].flatMap((one) =>
      ['free', 'for same', 'for other'].map((fee) => `${one}, ${fee}`),
    ))
      assert.ok(judge.happened.has(what), what);
  });

  it('and every 150th has as many transfers as a batch may have', () => {
    assert.equal(drawBatch(seed, 149).transfers.length, 1_000);
    assert.ok(
      Array.from({ length: 140 }, (_, number) => drawBatch(seed, number).transfers.length).every((size) => size <= 60),
    );
  });
});
