import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  accountOf,
  contextIn,
  emptyAccountRent,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  multisigAccount,
  requestOf,
  type Scene,
  strangeTokenAccounts,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';

const request = requestOf({ memo: memoOf('hello') });
const createRequest = requestOf({ createTokenAccount: 'always' });

describe('the sender', () => {
  const finding = (senderTokenAccount: Account | null): string[] => foundIn(request, { senderTokenAccount });

  test('whose token account is not of this mint, or in an unknown state', () => {
    for (const strange of strangeTokenAccounts(request.mint, request.from)) {
      assert.deepEqual(finding(strange), ['sender_token_account_not_owned from']);
      assert.partialDeepStrictEqual(contextIn(request, { senderTokenAccount: strange }), {
        fault: { kind: 'not_a_token_account', program: strange.owner },
      });
      assert.equal(foundIn({ ...request, checks: 'none' }, { senderTokenAccount: strange }).length, 1);
    }
  });

  test('with SOL for the fee, and after it nothing or the rent-exempt minimum', () => {
    const short = ['insufficient_sol from'];
    const cases: [bigint, string[]][] = [
      [0n, short],
      [4_999n, short],
      [5_000n, []],
      [5_001n, short],
      [5_000n + emptyAccountRent - 1n, short],
      [5_000n + emptyAccountRent, []],
    ];
    for (const [balance, found] of cases) {
      assert.deepEqual(foundIn(request, { sender: walletAccount(balance) }), found, `${balance}`);
    }
    assert.deepEqual(foundIn(request, { sender: null }), short);
  });

  test('with SOL for the rent too where an account is made', () => {
    const needs = 5_000n + 2_039_280n;
    const scene = (balance: bigint): Scene => ({ sender: walletAccount(balance), recipientTokenAccount: null });
    assert.deepEqual(foundIn(createRequest, scene(needs - 1n)), ['insufficient_sol from']);
    assert.deepEqual(foundIn(createRequest, scene(needs)), []);
    assert.deepEqual(foundIn(createRequest, scene(needs + 1n)), ['insufficient_sol from']);
    assert.deepEqual(foundIn(createRequest, scene(needs + emptyAccountRent)), []);
  });
});

const plainRequest = requestOf();

function foundWith(owner: string, delegatedAmount: bigint | undefined, amount = 5_000_000n): string[] {
  const delegate = delegatedAmount === undefined ? {} : { delegate: address(plainRequest.from), delegatedAmount };
  const senderTokenAccount = tokenAccount(plainRequest.mint, owner as typeof plainRequest.from, {
    ...delegate,
    amount,
  });
  return foundIn(plainRequest, { senderTokenAccount });
}

test('a sender that owns its token account no more can send what it is the delegate for, to the last base unit', () => {
  const stranger = freshWallet();
  assert.deepEqual(foundWith(stranger, undefined), ['sender_token_account_not_owned from']);
  assert.deepEqual(foundWith(stranger, plainRequest.amount - 1n), ['sender_token_account_not_owned from']);
  assert.deepEqual(foundWith(stranger, plainRequest.amount), []);
  assert.deepEqual(foundWith(stranger, plainRequest.amount + 1n), []);
});

test('an owner that is its own delegate is held to the delegated amount', () => {
  assert.deepEqual(foundWith(plainRequest.from, plainRequest.amount - 1n), ['insufficient_token_balance amount']);
  assert.deepEqual(foundWith(plainRequest.from, plainRequest.amount), []);
  assert.deepEqual(foundWith(plainRequest.from, undefined), []);
  const delegate = { delegate: address(freshWallet()), delegatedAmount: 1n };
  const ofAnother = tokenAccount(plainRequest.mint, plainRequest.from, delegate);
  assert.deepEqual(foundIn(plainRequest, { senderTokenAccount: ofAnother }), []);
});

test('an owner that is its own delegate sends as the owner once payments have come to just the delegated amount', () => {
  const splits = [
    { to: freshWallet(), amount: 300n },
    { to: freshWallet(), amount: 200n },
  ];
  const splitting = requestOf({ splits, createTokenAccount: 'if_missing' });
  const found = (owner: typeof plainRequest.from, delegatedAmount: bigint): string[] => {
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

const feePayer = freshWallet();
const sponsored = requestOf({ feePayer });
const sceneOf = (sender: Account) => ({ sender, others: [[feePayer, walletAccount(10n ** 9n)]] as const });

test('a sender who pays the fee holds no data and is of no other program', () => {
  const program = freshWallet();
  for (const [sender, fault] of [
    [accountOf(systemProgram, [1]), { kind: 'holds_data' }],
    [accountOf(program), { kind: 'of_program', program }],
    [multisigAccount(tokenProgram), { kind: 'of_program', program: tokenProgram }],
  ] as const) {
    assert.deepEqual(foundIn(plainRequest, { sender }), ['sender_not_a_wallet from']);
    assert.deepEqual(contextIn(plainRequest, { sender }), { wallet: plainRequest.from, fault });
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
  const { from: wallet, mint, amount } = plainRequest;
  const tokenAccountAddress = tokenAccountsOf(plainRequest, tokenProgram).sender;
  const owner = freshWallet();
  const short = { available: 1n, amount, decimals: 6 };
  const delegatedToItself = { delegate: address(wallet), delegatedAmount: 1n };
  const notFound = 'sender_token_account_not_found from';
  const notOwned = 'sender_token_account_not_owned from';
  const tooFew = 'insufficient_token_balance amount';
  for (const [senderTokenAccount, code, more] of [
    [null, notFound, { decimals: 6 }],
    [walletAccount(1n), notFound, { decimals: 6 }],
    [tokenAccount(mint, wallet, { state: AccountState.Frozen }), 'sender_token_account_frozen from', {}],
    [mintAccount(), notOwned, { fault: { kind: 'not_a_token_account', program: tokenProgram } }],
    [tokenAccount(mint, owner), notOwned, { fault: { kind: 'other_owner', owner } }],
    [tokenAccount(mint, wallet, { amount: 1n }), tooFew, { limitedBy: 'balance', ...short }],
    [tokenAccount(mint, wallet, delegatedToItself), tooFew, { limitedBy: 'delegation', ...short }],
  ] as const) {
    assert.deepEqual(foundIn(plainRequest, { senderTokenAccount }), [code]);
    const context = { wallet, mint, tokenAccount: tokenAccountAddress, ...more };
    assert.deepEqual(contextIn(plainRequest, { senderTokenAccount }), context);
  }
});
