import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLamports, describeTokens } from '../../../src/wire/words/amount-words.ts';

test('One of anything is one, and any other number of it is several', () => {
  assert.equal(describeTokens(1_500_000n, 6), '1500000 base units (1.5 tokens)');
  assert.equal(describeTokens(1_000_000n, 6), '1000000 base units (1 token)');
  assert.equal(describeTokens(1n, 6), '1 base unit (0.000001 tokens)');
  assert.equal(describeTokens(1n, 0), '1 base unit (1 token)');
  assert.equal(describeTokens(0n, 0), '0 base units (0 tokens)');
  assert.deepEqual(
    [describeLamports(1n), describeLamports(2n)],
    ['1 lamport (0.000000001 SOL)', '2 lamports (0.000000002 SOL)'],
  );
});
