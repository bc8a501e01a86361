import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rentOf, sentAmount } from '../../src/plan/transfer-plan.ts';
import { freshAddress, paymentOf, planWith } from '../random-plans.ts';

test('what a sender sends, and the rent that is paid, are those of all payments of a plan', () => {
  const plan = planWith({ amount: 1n, rent: 10n });
  const splits = [2n, 4n].map((amount) => paymentOf(plan, { recipient: freshAddress(), amount, rent: amount * 10n }));
  assert.deepEqual([sentAmount(plan), rentOf(plan)], [1n, 10n]);
  assert.deepEqual([sentAmount({ ...plan, splits }), rentOf({ ...plan, splits })], [7n, 70n]);
});
