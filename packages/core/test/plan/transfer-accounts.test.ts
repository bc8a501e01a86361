import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { accountsOfEveryTransfer, accountsToRead, deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import { requestOf } from '../chain-accounts.ts';
import { freshAddress } from '../random-plans.ts';

const request = requestOf();
const { from, to, mint } = request;
const ofEvery = [mint, from, to, rentSysvar, clockSysvar];
const split = { to: freshAddress(), amount: 1n };

const toRead = (parts: Partial<TransferRequest>, hint?: Parameters<typeof accountsToRead>[1]) => {
  return accountsToRead({ ...request, ...parts }, hint);
};
const tokenAccountsUnder = (program: typeof tokenProgram, ...owners: (typeof from)[]) =>
  owners.map((owner) => findAssociatedTokenAddress({ owner, tokenProgram: program, mint }).address);

test('token accounts are derived for every wallet, with their bumps', () => {
  for (const program of [tokenProgram, token2022Program]) {
    const of = (owner: typeof from) => findAssociatedTokenAddress({ owner, tokenProgram: program, mint });
    assert.deepEqual(deriveTokenAccounts({ ...request, splits: [split] }, program), {
      tokenProgram: program,
      sender: of(from).address,
      senderBump: of(from).bump,
      recipient: of(to).address,
      recipientBump: of(to).bump,
      splits: [of(split.to)],
    });
  }
});

test('every transfer needs the mint, its wallets and the sysvars, each once', () => {
  assert.deepEqual(accountsOfEveryTransfer(request), ofEvery);
  const feePayer = freshAddress();
  assert.deepEqual(accountsOfEveryTransfer({ ...request, feePayer, splits: [split] }), [
    ...ofEvery,
    feePayer,
    split.to,
  ]);
});

test('of a mint that is not known the token accounts under both programs are read', () => {
  assert.deepEqual(toRead({}), [
    ...ofEvery,
    ...tokenAccountsUnder(tokenProgram, from, to),
    ...tokenAccountsUnder(token2022Program, from, to),
  ]);
});

test('of a mint that is known those under its program are read, and what its hook needs', () => {
  const hook = freshAddress();
  const own = tokenAccountsUnder(token2022Program, from, to);
  assert.deepEqual(toRead({}, { tokenProgram: token2022Program, transferHookProgram: undefined }), [
    ...ofEvery,
    ...own,
  ]);
  assert.deepEqual(toRead({}, { tokenProgram: token2022Program, transferHookProgram: hook }), [
    ...ofEvery,
    ...own,
    hook,
    hookValidationAddress(mint, hook),
  ]);
});

test('a nonce account and the token accounts of splits are read too', () => {
  const nonceAccount = freshAddress();
  assert.deepEqual(toRead({ nonceAccount, splits: [split] }, { tokenProgram, transferHookProgram: undefined }), [
    ...ofEvery,
    split.to,
    nonceAccount,
    ...tokenAccountsUnder(tokenProgram, from, to, split.to),
  ]);
});
