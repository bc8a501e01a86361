import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { decideIn, emptyAccountRent, requestOf, tokenAccount, walletAccount } from '../chain-accounts.ts';

test('of the rent for the token account the payer pays what is not there already', () => {
  const create = requestOf({ createTokenAccount: 'always' });
  const rentOf = (recipientTokenAccount: Account | null): bigint => {
    const decision = decideIn(create, { recipientTokenAccount });
    return 'plan' in decision ? decision.plan.rent : -1n;
  };
  const minimum = emptyAccountRent + 165n * 3480n * 2n;
  assert.equal(rentOf(null), minimum);
  assert.equal(rentOf(walletAccount(1n)), minimum - 1n);
  assert.equal(rentOf(walletAccount(minimum - 1n)), 1n);
  assert.equal(rentOf(walletAccount(minimum)), 0n);
  assert.equal(rentOf(walletAccount(minimum + 1n)), 0n);
  assert.equal(rentOf(tokenAccount(create.mint, create.to)), 0n);
});
