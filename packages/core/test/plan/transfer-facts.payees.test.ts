import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payeesOf } from '../../src/plan/transfer-facts.ts';
import { requestOf } from '../chain-accounts.ts';
import { freshAddress, memoOf } from '../random-plans.ts';

test('everyone whom a transfer pays is a payee, however many splits it has', () => {
  const all = [11n, 12n, 13n].map((amount) => ({ to: freshAddress(), amount }));
  const memo = memoOf('for the recipient alone');
  const references = [freshAddress()];
  for (let count = 0; count <= all.length; count++) {
    const splits = all.slice(0, count);
    const request = requestOf({ splits, memo, references });
    const [recipient, ...others] = payeesOf(request, 7n);
    assert.deepEqual(recipient, { to: request.to, amount: 7n, field: 'to', memo, references });
    assert.deepEqual(
      others,
      splits.map((split, index) => ({
        ...split,
        field: { split: index, part: 'to' },
        memo: undefined,
        references: [],
      })),
    );
  }
});

test('a split has its own memo and its own references', () => {
  const split = { to: freshAddress(), amount: 1n, memo: memoOf('its own'), references: [freshAddress()] };
  const [, payee] = payeesOf(requestOf({ splits: [split], memo: memoOf('another') }), 1n);
  assert.deepEqual([payee?.memo, payee?.references], [split.memo, split.references]);
});
