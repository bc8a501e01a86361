import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadAccounts } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import {
  accountsOfEveryTransfer,
  accountsToRead,
  deriveTokenAccounts,
  payeesOf,
  readPayment,
} from '../../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import { freshAddress, freshWallet, memoOf, plainMint, requestOf, tokenAccount, walletAccount } from '../fixtures.ts';

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

test('everyone whom a transfer pays is a payee, however many splits it has', () => {
  const all = [11n, 12n, 13n].map((amount) => ({ to: freshAddress(), amount }));
  const memo = memoOf('for the recipient alone');
  const references = [freshAddress()];
  for (let count = 0; count <= all.length; count++) {
    const splits = all.slice(0, count);
    const request = requestOf({ splits, memo, references });
    const [recipient, ...others] = payeesOf(request, 7n);
    assert.deepEqual(recipient, { to: request.to, amount: 7n, field: 'to', memo, references });
    assert.deepEqual(
      others,
      splits.map((split, index) => ({
        ...split,
        field: { split: index, part: 'to' },
        memo: undefined,
        references: [],
      })),
    );
  }
});

test('a split has its own memo and its own references', () => {
  const split = { to: freshAddress(), amount: 1n, memo: memoOf('its own'), references: [freshAddress()] };
  const [, payee] = payeesOf(requestOf({ splits: [split], memo: memoOf('another') }), 1n);
  assert.deepEqual([payee?.memo, payee?.references], [split.memo, split.references]);
});

test('a payment of which the wallet or the token account was not read needs both, and one of which there is none does not', () => {
  const request = requestOf();
  const address = freshWallet();
  const [payee] = payeesOf(request, request.amount);
  const readWith = (read: ReadAccounts) =>
    readPayment({ request, mint: plainMint, senderTokenAccount: freshWallet() }, payee, { address, bump: 254 }, read);
  const wallet = [request.to, walletAccount(1n)] as const;
  const account = [address, tokenAccount(request.mint, request.to)] as const;
  for (const read of [[], [wallet], [account]]) {
    assert.deepEqual(readWith(new Map(read)), { needs: [request.to, address] });
  }
  const known = readWith(new Map([wallet, account]));
  assert.ok('tokenAccount' in known && known.tokenAccount.state?.owner === request.to);
  const absent = readWith(
    new Map([
      [request.to, null],
      [address, null],
    ]),
  );
  assert.partialDeepStrictEqual(absent, {
    wallet: { account: null },
    tokenAccount: { state: undefined, lamports: 0n },
  });
});
