import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createsTokenAccount, rentOf, sentAmount } from '../../src/plan/transfer-plan.ts';
import { changed, freshAddress, paymentOf, planWith } from '../fixtures.ts';

test('what a sender sends, and the rent that is paid, are those of all payments of a plan', () => {
  const plan = planWith({ amount: 1n, rent: 10n });
  const splits = [2n, 4n].map((amount) => paymentOf(plan, { recipient: freshAddress(), amount, rent: amount * 10n }));
  assert.deepEqual([sentAmount(plan), rentOf(plan)], [1n, 10n]);
  assert.deepEqual([sentAmount(changed(plan, { splits })), rentOf(changed(plan, { splits }))], [7n, 70n]);
});

const recipient = freshAddress();

test('a token account is created never, always, or if there is none', () => {
  for (const [createTokenAccount, exists, creates] of [
    ['never', false, false],
    ['never', true, false],
    ['if_missing', false, true],
    ['if_missing', true, false],
    ['always', false, true],
    ['always', true, true],
  ] as const) {
    assert.equal(createsTokenAccount({ createTokenAccount }, recipient, exists, []), creates);
  }
});

test('only the first of several payments to a recipient creates its token account', () => {
  const other = { recipient: freshAddress() };
  for (const createTokenAccount of ['if_missing', 'always'] as const) {
    assert.equal(createsTokenAccount({ createTokenAccount }, recipient, false, [other]), true);
    assert.equal(createsTokenAccount({ createTokenAccount }, recipient, false, [{ recipient }, other]), false);
  }
});
