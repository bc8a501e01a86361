import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf } from '../../src/outcome/token-balances.ts';
import { freshAddress } from '../fixtures.ts';

test('An account has what it got more than before, less where it paid, and nothing more where a transaction does not name it', () => {
  const [mint, got, paid] = [freshAddress(), freshAddress(), freshAddress()];
  const balances = new Map([
    [got, { mint, before: 2n, after: 7n, owner: undefined }],
    [paid, { mint, before: 7n, after: 2n, owner: undefined }],
  ]);
  assert.deepEqual(
    [got, paid, freshAddress()].map((account) => changeOf(balances, account)),
    [5n, -5n, 0n],
  );
});
