import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  batchAccountsToRead,
  batchTokenAccountsOf,
  deriveBatchTokenAccounts,
  walletsOfBatch,
} from '../../src/batch/batch-facts.ts';
import type { BatchRequest } from '../../src/batch/batch-request.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { addressAt, batchFrom } from './random-batches.ts';

// The second recipient is paid twice.
const { request } = batchFrom(
  [1, 2, 2].map((recipient) => ({ recipient, exists: true, amount: 1, memo: undefined, references: [] })),
  { version: 0, createTokenAccount: 'if_missing', priorityFee: undefined, isSponsored: true, hasNonce: true },
);
const { from, mint, feePayer, nonceAccount } = request;
const [one, other] = [addressAt(10_001), addressAt(10_002)];
const under = (program: Address) => deriveBatchTokenAccounts(request, program);
const accountOf = (owner: Address, program: Address): Address =>
  findAssociatedTokenAddress({ owner, mint, tokenProgram: program }).address;

describe('the accounts of a batch', () => {
  it('are those of its sender and of each transfer, in the order of the transfers', () => {
    const derived = under(token2022Program);
    assert.equal(derived.tokenProgram, token2022Program);
    const owners = [from, one, other, other].map((owner) =>
      findAssociatedTokenAddress({ owner, mint, tokenProgram: token2022Program }),
    );
    assert.deepEqual([{ address: derived.sender, bump: derived.senderBump }, ...derived.recipients], owners);
    assert.deepEqual(
      batchTokenAccountsOf(derived),
      [from, one, other].map((owner) => accountOf(owner, token2022Program)),
    );
  });

  it('without which nothing is decided are the mint, the sysvars and every wallet once', () => {
    const always = [mint, from, feePayer, rentSysvar, clockSysvar];
    assert.deepEqual(walletsOfBatch(request), [...always, nonceAccount, one, other]);
    const plain: BatchRequest = { ...request, feePayer: from, nonceAccount: undefined };
    assert.deepEqual(walletsOfBatch(plain), [mint, from, rentSysvar, clockSysvar, one, other]);
  });

  it('are read under both token programs while the mint is not known, and then under its own, with its hook', () => {
    const wallets = walletsOfBatch(request);
    const accountsUnder = (program: Address) => [from, one, other].map((owner) => accountOf(owner, program));
    assert.deepEqual(batchAccountsToRead(request, undefined), [
      ...wallets,
      ...accountsUnder(tokenProgram),
      ...accountsUnder(token2022Program),
    ]);
    const plain = { tokenProgram, transferHookProgram: undefined };
    assert.deepEqual(batchAccountsToRead(request, plain), [...wallets, ...accountsUnder(tokenProgram)]);
    const hook = addressAt(5);
    assert.deepEqual(batchAccountsToRead(request, { tokenProgram: token2022Program, transferHookProgram: hook }), [
      ...wallets,
      ...accountsUnder(token2022Program),
      hook,
      hookValidationAddress(mint, hook),
    ]);
  });
});
