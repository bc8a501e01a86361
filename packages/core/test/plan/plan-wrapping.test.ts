import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planWrapping } from '../../src/plan/plan-wrapping.ts';
import { freshWallet, plainState } from '../fixtures.ts';

const [from, other] = [freshWallet(), freshWallet()];
const rent = 2_000n;

/** Plans for payments of 10 lamports from a token account that holds these tokens, or is missing. */
function plan(asked: { wrap?: boolean; unwrap?: boolean }, tokens: bigint | undefined, owner = from, prefunded = 0n) {
  const state = tokens === undefined ? undefined : { ...plainState(owner), amount: tokens };
  const lamports = tokens === undefined ? prefunded : rent + tokens;
  return planWrapping({ from, ...asked }, { senderTokenAccount: { state, lamports }, tokenAccountRent: rent }, 10n);
}

test("As much is wrapped as is missing, and nothing where nothing is, is asked for, or would be another owner's", () => {
  const wrap = { lamports: 7n, createsTokenAccount: false, rent: 0n };
  assert.deepEqual(plan({ wrap: true }, 3n), { wrap });
  for (const nothing of [plan({ wrap: true }, 10n), plan({}, 3n), plan({ wrap: true }, 3n, other)]) {
    assert.deepEqual(nothing, {});
  }
});

test('A missing token account is created, with as much rent as its address lacks', () => {
  const wrapped = (prefunded: bigint) => plan({ wrap: true }, undefined, from, prefunded).wrap;
  assert.deepEqual(wrapped(0n), { lamports: 10n, createsTokenAccount: true, rent: 2_000n });
  assert.deepEqual(wrapped(1_500n), { lamports: 10n, createsTokenAccount: true, rent: 500n });
  assert.deepEqual(wrapped(2_500n), { lamports: 10n, createsTokenAccount: true, rent: 0n });
});

test('What is left comes back with the rent, also that of an account that was created for the payment', () => {
  assert.deepEqual(plan({ unwrap: true }, 13n), { unwrap: { lamports: 2_003n } });
  assert.deepEqual(plan({ wrap: true, unwrap: true }, 3n).unwrap, { lamports: 2_000n });
  assert.deepEqual(plan({ wrap: true, unwrap: true }, undefined, from, 2_500n).unwrap, { lamports: 2_500n });
});
