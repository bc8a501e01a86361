import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import {
  accountOf,
  contextIn,
  foundIn,
  freshWallet,
  mintAccount,
  multisigAccount,
  requestOf,
  tokenAccount,
  walletAccount,
} from '../chain-accounts.ts';

const feePayer = freshWallet();
const request = requestOf();
const sponsored = requestOf({ feePayer });
const sceneOf = (sender: Account) => ({ sender, others: [[feePayer, walletAccount(10n ** 9n)]] as const });

test('a sender who pays the fee holds no data and is of no other program', () => {
  const program = freshWallet();
  for (const [sender, fault] of [
    [accountOf(systemProgram, [1]), { kind: 'holds_data' }],
    [accountOf(program), { kind: 'of_program', program }],
    [multisigAccount(tokenProgram), { kind: 'of_program', program: tokenProgram }],
  ] as const) {
    assert.deepEqual(foundIn(request, { sender }), ['sender_not_a_wallet from']);
    assert.deepEqual(contextIn(request, { sender }), { wallet: request.from, fault });
  }
});

test('a sender for whom another pays may be any account but a multisig of the token program', () => {
  const { from } = sponsored;
  const multisig = sceneOf(multisigAccount(tokenProgram));
  assert.deepEqual(foundIn(sponsored, multisig), ['sender_not_a_wallet from']);
  assert.deepEqual(contextIn(sponsored, multisig), {
    wallet: from,
    fault: { kind: 'multisig', program: tokenProgram },
  });
  for (const sender of [
    multisigAccount(token2022Program),
    tokenAccount(sponsored.mint, from),
    accountOf(tokenProgram),
    accountOf(freshWallet(), [1]),
    accountOf(systemProgram, [1]),
  ]) {
    assert.deepEqual(foundIn(sponsored, sceneOf(sender)), []);
  }
});

test('what is wrong with a token account of the sender names the wallet, the mint and the token account', () => {
  const { from: wallet, mint } = request;
  const context = { wallet, mint, tokenAccount: deriveTokenAccounts(request, tokenProgram).sender };
  assert.deepEqual(contextIn(request, { senderTokenAccount: null }), { ...context, decimals: 6 });
  const frozen = tokenAccount(mint, wallet, { state: AccountState.Frozen });
  assert.deepEqual(contextIn(request, { senderTokenAccount: frozen }), context);

  const owner = freshWallet();
  const { amount } = request;
  const short = { available: 1n, amount, decimals: 6 };
  const delegatedToItself = { delegate: address(wallet), delegatedAmount: 1n };
  for (const [senderTokenAccount, more] of [
    [mintAccount(), { fault: { kind: 'not_a_token_account', program: tokenProgram } }],
    [tokenAccount(mint, owner), { fault: { kind: 'other_owner', owner } }],
    [tokenAccount(mint, wallet, { amount: 1n }), { limitedBy: 'balance', ...short }],
    [tokenAccount(mint, wallet, delegatedToItself), { limitedBy: 'delegation', ...short }],
  ] as const) {
    assert.deepEqual(contextIn(request, { senderTokenAccount }), { ...context, ...more });
  }
});
