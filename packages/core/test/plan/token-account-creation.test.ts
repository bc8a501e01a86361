import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createsTokenAccount } from '../../src/plan/transfer-plan.ts';
import { freshAddress } from '../random-plans.ts';

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
