import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import { tokenPrograms } from '../../src/addresses/programs.ts';
import { isOwnersAlone, readTokenAccountControl } from '../../src/decide/token-account-control.ts';
import { freshWallet, mintAccount, multisigAccount, tokenAccount, walletAccount } from '../chain-accounts.ts';

const [mint, owner, other] = [freshWallet(), freshWallet(), freshWallet()];

test("an account that nobody else may take from is its owner's alone, under each token program", () => {
  for (const program of tokenPrograms) {
    assert.equal(isOwnersAlone(tokenAccount(mint, owner, {}, program)), true);
    // Whoever closes an account of other tokens takes nothing.
    assert.equal(isOwnersAlone(tokenAccount(mint, owner, { closeAuthority: address(other) }, program)), true);
  }
});

test("an account with a delegate, or of wrapped SOL, is not its owner's alone", () => {
  for (const program of tokenPrograms) {
    for (const state of [AccountState.Initialized, AccountState.Frozen]) {
      const delegate = { state, delegate: address(other), delegatedAmount: 1n };
      assert.equal(isOwnersAlone(tokenAccount(mint, owner, delegate, program)), false);
      assert.equal(isOwnersAlone(tokenAccount(mint, owner, { state, isNative: 1n }, program)), false);
    }
  }
});

test('what is no token account says nothing of anybody', () => {
  const delegated = tokenAccount(mint, owner, { delegate: address(other), delegatedAmount: 1n });
  const none = [
    null,
    walletAccount(1n),
    mintAccount(),
    multisigAccount(delegated.owner),
    { ...delegated, owner: other },
    tokenAccount(mint, owner, { delegate: address(other), delegatedAmount: 1n, state: AccountState.Uninitialized }),
  ];
  for (const account of none) {
    assert.equal(isOwnersAlone(account), true);
    assert.equal(readTokenAccountControl(account), undefined);
  }
});

test('who may take tokens is read from an account of wrapped SOL with a delegate and a close authority', () => {
  const closer = freshWallet();
  const account = tokenAccount(mint, owner, {
    delegate: address(other),
    delegatedAmount: 7n,
    isNative: 2_039_280n,
    closeAuthority: address(closer),
  });
  assert.deepEqual(readTokenAccountControl(account), {
    owner,
    delegate: { address: other, amount: 7n },
    closeAuthority: closer,
    isNative: true,
  });
});
