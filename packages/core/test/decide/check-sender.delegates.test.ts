import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { foundIn, freshWallet, requestOf, tokenAccount } from '../chain-accounts.ts';

const request = requestOf();

function foundWith(owner: string, delegatedAmount: bigint | undefined, amount = 5_000_000n): string[] {
  const delegate = delegatedAmount === undefined ? {} : { delegate: address(request.from), delegatedAmount };
  const senderTokenAccount = tokenAccount(request.mint, owner as typeof request.from, { ...delegate, amount });
  return foundIn(request, { senderTokenAccount });
}

test('a sender that owns its token account no more can send what it is the delegate for, to the last base unit', () => {
  const stranger = freshWallet();
  assert.deepEqual(foundWith(stranger, undefined), ['sender_token_account_not_owned from']);
  assert.deepEqual(foundWith(stranger, request.amount - 1n), ['sender_token_account_not_owned from']);
  assert.deepEqual(foundWith(stranger, request.amount), []);
  assert.deepEqual(foundWith(stranger, request.amount + 1n), []);
});

test('an owner that is its own delegate is held to the delegated amount', () => {
  assert.deepEqual(foundWith(request.from, request.amount - 1n), ['insufficient_token_balance amount']);
  assert.deepEqual(foundWith(request.from, request.amount), []);
  assert.deepEqual(foundWith(request.from, undefined), []);
});

test('an owner that is its own delegate sends as the owner once payments have come to just the delegated amount', () => {
  const splits = [
    { to: freshWallet(), amount: 300n },
    { to: freshWallet(), amount: 200n },
  ];
  const splitting = requestOf({ splits, createTokenAccount: 'if_missing' });
  const found = (owner: typeof request.from, delegatedAmount: bigint): string[] => {
    const delegate = { delegate: address(splitting.from), delegatedAmount, amount: 5_000_000n };
    return foundIn(splitting, { senderTokenAccount: tokenAccount(splitting.mint, owner, delegate) });
  };
  for (const delegated of [300n, 500n, splitting.amount + 500n, splitting.amount + 501n]) {
    assert.deepEqual(found(splitting.from, delegated), [], `${delegated}`);
  }
  for (const delegated of [0n, 299n, 301n, 499n, 501n, splitting.amount, splitting.amount + 499n]) {
    assert.deepEqual(found(splitting.from, delegated), ['insufficient_token_balance amount'], `${delegated}`);
  }
  const stranger = freshWallet();
  assert.deepEqual(found(stranger, 300n), ['sender_token_account_not_owned from']);
  assert.deepEqual(found(stranger, splitting.amount + 500n), []);
});

test('a balance suffices when it is the amount, and not when it is one base unit less', () => {
  assert.deepEqual(foundWith(request.from, undefined, request.amount), []);
  assert.deepEqual(foundWith(request.from, undefined, request.amount - 1n), ['insufficient_token_balance amount']);
});
