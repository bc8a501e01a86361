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

test('a balance suffices when it is the amount, and not when it is one base unit less', () => {
  assert.deepEqual(foundWith(request.from, undefined, request.amount), []);
  assert.deepEqual(foundWith(request.from, undefined, request.amount - 1n), ['insufficient_token_balance amount']);
});
