import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/core/account.ts';
import { systemProgram, tokenProgram } from '../../src/core/programs.ts';
import {
  accountOf,
  detailIn,
  emptyAccountRent,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  type Scene,
  tokenAccount,
  walletAccount,
} from './chain-accounts.ts';
import { memoOf } from './random-plans.ts';

const request = requestOf({ memo: memoOf('hello') });
const createRequest = requestOf({ operation: 'create_transfer' });
const _paused = extension('PausableConfig', { authority: null, paused: true });

describe('the sender', () => {
  const finding = (senderTokenAccount: Account | null): string[] => foundIn(request, { senderTokenAccount });

  test('without a token account', () => {
    for (const absent of [null, walletAccount(1n), accountOf(tokenProgram, new Uint8Array(165))]) {
      assert.deepEqual(finding(absent), ['sender_token_account_not_found /from_address']);
    }
  });

  test('whose token account belongs to somebody else, who is named', () => {
    const owner = freshWallet();
    const senderTokenAccount = tokenAccount(request.mint, owner);
    assert.deepEqual(finding(senderTokenAccount), ['sender_token_account_not_owned /from_address']);
    assert.match(detailIn(request, { senderTokenAccount }), new RegExp(`now belongs to ${owner}`));
  });

  test('whose token account is frozen', () => {
    const frozen = tokenAccount(request.mint, request.from, { state: AccountState.Frozen });
    assert.deepEqual(finding(frozen), ['sender_token_account_frozen /from_address']);
  });

  test('with one base unit too few, with both numbers and the difference in words', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: 1_499_999n });
    assert.deepEqual(finding(senderTokenAccount), ['insufficient_token_balance /amount']);
    assert.match(
      detailIn(request, { senderTokenAccount }),
      /has 1499999 base units \(1\.499999 tokens\); this transfer needs 1500000 base units \(1\.5 tokens\), 1 more\./,
    );
  });

  test('with amounts written by the decimals of the mint', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: 0n });
    const texts: [number, RegExp][] = [
      [0, /has 0 base units \(0 tokens\); this transfer needs 1500000 base units \(1500000 tokens\)/],
      [9, /needs 1500000 base units \(0\.0015 tokens\)/],
      [18, /needs 1500000 base units \(0\.0000000000015 tokens\)/],
    ];
    for (const [decimals, detail] of texts) {
      assert.match(detailIn(request, { senderTokenAccount, mint: mintAccount({ decimals }) }), detail);
    }
  });

  test('that is its own delegate for less', () => {
    const own = tokenAccount(request.mint, request.from, { delegate: address(request.from), delegatedAmount: 1n });
    assert.deepEqual(finding(own), ['insufficient_token_balance /amount']);
    const other = tokenAccount(request.mint, request.from, { delegate: address(freshWallet()), delegatedAmount: 1n });
    assert.deepEqual(finding(other), []);
  });

  test('that is no wallet', () => {
    const found = ['sender_not_a_wallet /from_address'];
    assert.deepEqual(foundIn(request, { sender: accountOf(freshWallet()) }), found);
    assert.deepEqual(foundIn(request, { sender: accountOf(systemProgram, new Uint8Array(80)) }), found);
  });

  test('with SOL for the fee, and after it nothing or the rent-exempt minimum', () => {
    const short = ['insufficient_sol /from_address'];
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
    assert.deepEqual(foundIn(createRequest, scene(needs - 1n)), ['insufficient_sol /from_address']);
    assert.deepEqual(foundIn(createRequest, scene(needs)), []);
    assert.deepEqual(foundIn(createRequest, scene(needs + 1n)), ['insufficient_sol /from_address']);
    assert.deepEqual(foundIn(createRequest, scene(needs + emptyAccountRent)), []);
  });
});
