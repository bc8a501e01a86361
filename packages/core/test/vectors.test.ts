import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildTransaction } from '../src/plan/build-transaction.ts';
import { planOf, readVectors } from './vector.ts';

const vectors = readVectors();

test('there are vectors', () => {
  assert.equal(vectors.length, 7);
});

describe('the bytes of every golden vector are built, byte for byte', () => {
  for (const vector of vectors) {
    test(vector.name, () => {
      const bytes = buildTransaction(planOf(vector), vector.blockhash);
      assert.equal(Buffer.from(bytes).toString('hex'), vector.transaction);
    });
  }
});
