import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { systemProgram } from '../../src/addresses/programs.ts';
import {
  accountOf,
  contextIn,
  emptyAccountRent,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  type Scene,
  strangeTokenAccounts,
  tokenAccount,
  walletAccount,
} from '../chain-accounts.ts';
import { memoOf } from '../random-plans.ts';

const request = requestOf({ memo: memoOf('hello') });
const createRequest = requestOf({ createTokenAccount: 'always' });

describe('the sender', () => {
  const finding = (senderTokenAccount: Account | null): string[] => foundIn(request, { senderTokenAccount });

  test('without a token account', () => {
    for (const absent of [null, walletAccount(1n)]) {
      assert.deepEqual(finding(absent), ['sender_token_account_not_found from']);
    }
  });

  test('whose token account belongs to another owner, which is named', () => {
    const owner = freshWallet();
    const senderTokenAccount = tokenAccount(request.mint, owner);
    assert.deepEqual(finding(senderTokenAccount), ['sender_token_account_not_owned from']);
    assert.partialDeepStrictEqual(contextIn(request, { senderTokenAccount }), {
      fault: { kind: 'other_owner', owner },
    });
  });

  test('whose token account is not of this mint, or in an unknown state', () => {
    for (const strange of strangeTokenAccounts(request.mint, request.from)) {
      assert.deepEqual(finding(strange), ['sender_token_account_not_owned from']);
      assert.partialDeepStrictEqual(contextIn(request, { senderTokenAccount: strange }), {
        fault: { kind: 'not_a_token_account', program: strange.owner },
      });
      assert.equal(foundIn({ ...request, checks: 'none' }, { senderTokenAccount: strange }).length, 1);
    }
  });

  test('whose token account is frozen', () => {
    const frozen = tokenAccount(request.mint, request.from, { state: AccountState.Frozen });
    assert.deepEqual(finding(frozen), ['sender_token_account_frozen from']);
  });

  test('with one base unit too few, with both numbers and the difference in words', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: 1_499_999n });
    assert.deepEqual(finding(senderTokenAccount), ['insufficient_token_balance amount']);
    assert.partialDeepStrictEqual(contextIn(request, { senderTokenAccount }), {
      wallet: request.from,
      limitedBy: 'balance',
      available: 1_499_999n,
      amount: 1_500_000n,
      decimals: 6,
    });
  });

  test('with the decimals of the mint', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: 0n });
    for (const decimals of [0, 9, 18]) {
      const context = contextIn(request, { senderTokenAccount, mint: mintAccount({ decimals }) });
      assert.partialDeepStrictEqual(context, { decimals, available: 0n });
    }
  });

  test('that is its own delegate for less', () => {
    const own = tokenAccount(request.mint, request.from, { delegate: address(request.from), delegatedAmount: 1n });
    assert.deepEqual(finding(own), ['insufficient_token_balance amount']);
    const context = contextIn(request, { senderTokenAccount: own });
    assert.partialDeepStrictEqual(context, { limitedBy: 'delegation', available: 1n });
    const other = tokenAccount(request.mint, request.from, { delegate: address(freshWallet()), delegatedAmount: 1n });
    assert.deepEqual(finding(other), []);
  });

  test('that is not a wallet', () => {
    const found = ['sender_not_a_wallet from'];
    assert.deepEqual(foundIn(request, { sender: accountOf(freshWallet()) }), found);
    assert.deepEqual(foundIn(request, { sender: accountOf(systemProgram, new Uint8Array(80)) }), found);
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
