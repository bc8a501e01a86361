import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import { decideIn, freshWallet, requestOf, type Scene, walletAccount } from '../chain-accounts.ts';

const feePayer = freshWallet();
const request = requestOf({ feePayer });
const { from, to, mint } = request;
const read: Scene = { others: [[feePayer, walletAccount(1_000_000_000n)]] };

test('without the mint, a wallet or a sysvar nothing is decided: all of them are needed', () => {
  for (const unread of [mint, from, to, feePayer, rentSysvar, clockSysvar]) {
    const needs = [mint, from, to, rentSysvar, clockSysvar, feePayer];
    assert.deepEqual(decideIn(request, { ...read, unread: [unread] }), { needs });
    assert.deepEqual(decideIn(request, { ...read, mint: null, unread: [unread] }), { needs });
  }
  assert.ok('plan' in decideIn(request, read));
});

test('without a token account both are needed', () => {
  const { sender, recipient } = deriveTokenAccounts(request, tokenProgram);
  for (const unread of [sender, recipient]) {
    assert.deepEqual(decideIn(request, { ...read, unread: [unread] }), { needs: [sender, recipient] });
  }
  const missing = decideIn(request, { ...read, mint: null, unread: [sender, recipient] });
  assert.ok('findings' in missing, 'of no mint there are none');
});

test('without its nonce account a transfer is not decided, whatever its mint is', () => {
  const nonceAccount = freshWallet();
  for (const scene of [read, { ...read, mint: null }]) {
    assert.deepEqual(decideIn({ ...request, nonceAccount }, scene), { needs: [nonceAccount] });
  }
});

test('a level of priority fees needs the prices of the accounts that are written', () => {
  const { sender, recipient } = deriveTokenAccounts(request, tokenProgram);
  assert.deepEqual(decideIn({ ...request, priorityFee: { level: 'low' } }, read), {
    needsPricesFor: [feePayer, sender, recipient],
  });
});
