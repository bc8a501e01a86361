import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAllowance, describeLamports, describeTokens } from '../../src/outcomes/amount-words.ts';

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

test('An allowance of the most that can be allowed is without limit', () => {
  assert.equal(describeAllowance(2n ** 64n - 1n, 6), 'tokens without limit');
  assert.equal(
    describeAllowance(2n ** 64n - 2n, 0),
    'up to 18446744073709551614 base units (18446744073709551614 tokens)',
  );
});
