import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allRules } from '../court.ts';
import { BatchJudge } from './batch-judge.ts';
import { drawBatch } from './draw-batch.ts';

const batches = 60;
const seed = 5;

describe('the service and the chain agree on batches', () => {
  it(`of seed ${seed}, ${batches} of them, in any order of their transactions`, async () => {
    const judge = new BatchJudge(seed, allRules);
    const disagreeing: string[] = [];
    for (let number = 0; number < batches; number += 1) {
      const { disagrees, description, replay } = await judge.judge(number);
      if (disagrees) disagreeing.push(`${replay}\n${description}`);
    }
    assert.deepEqual(disagreeing, []);
    assert.match(
      judge.describe(),
      /^60 batches: [1-9]\d* answers with \d+ transfers in \d+ transactions, [1-9]\d* refusals/,
    );
  });

  it('and the same seed and number draw the same batch, any other another', () => {
    assert.deepEqual(drawBatch(seed, 3), drawBatch(seed, 3));
    assert.notDeepEqual(drawBatch(seed, 3), { ...drawBatch(seed, 4), number: 3 });
    assert.notDeepEqual(drawBatch(seed, 3), { ...drawBatch(seed + 1, 3), seed });
  });

  it('and every 150th has as many transfers as a batch may have', () => {
    assert.equal(drawBatch(seed, 149).transfers.length, 1_000);
    assert.ok(
      Array.from({ length: 140 }, (_, number) => drawBatch(seed, number).transfers.length).every((size) => size <= 60),
    );
  });
});
