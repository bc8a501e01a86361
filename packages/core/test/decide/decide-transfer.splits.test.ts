import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccountState } from '@solana-program/token-2022';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import type { Split } from '../../src/request/transfer-request.ts';
import {
  contextIn,
  demandingMemos,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  requestOf,
  type Scene,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';

const [fee, sponsor] = [freshWallet(), freshWallet()];
const splits: readonly Split[] = [
  { to: fee, amount: 300n },
  { to: sponsor, amount: 200n },
];
const splitRequest = requestOf({ splits, createTokenAccount: 'if_missing' });
const tokenAccounts = tokenAccountsOf(splitRequest, tokenProgram).splits.map(({ address: each }) => each);

/** A scene in which the token account of a split is this one. */
function withSplitAccount(index: number, account: ReturnType<typeof tokenAccount> | null): Scene {
  const each = tokenAccounts[index];
  assert.ok(each);
  return { others: [[each, account]] };
}

function others2022(): NonNullable<Scene['others']> {
  return tokenAccountsOf(splitRequest, token2022Program).splits.map(({ address: each }, index) => [
    each,
    tokenAccount(splitRequest.mint, splits[index]?.to ?? fee, {}, token2022Program),
  ]);
}

describe('Splits are refused', () => {
  test('where all payments together are more than the balance, naming the sum', () => {
    const senderTokenAccount = tokenAccount(splitRequest.mint, splitRequest.from, { amount: 1_500_499n });
    assert.deepEqual(foundIn(splitRequest, { senderTokenAccount }), ['insufficient_token_balance amount']);
    assert.partialDeepStrictEqual(contextIn(splitRequest, { senderTokenAccount }), {
      available: 1_500_499n,
      amount: 1_500_500n,
    });
    const enough = tokenAccount(splitRequest.mint, splitRequest.from, { amount: 1_500_500n });
    assert.deepEqual(foundIn(splitRequest, { senderTokenAccount: enough }), []);
  });

  test('where the rents of all token accounts together are more than the fee payer has', () => {
    const scene = { ...withSplitAccount(0, null), recipientTokenAccount: null };
    const cost = 5_000n + 2n * 2_039_280n;
    assert.deepEqual(foundIn(splitRequest, { ...scene, sender: walletAccount(cost) }), []);
    assert.deepEqual(foundIn(splitRequest, { ...scene, sender: walletAccount(cost - 1n) }), ['insufficient_sol from']);
  });

  test('with the index of the recipient who cannot be paid', () => {
    const [, second] = tokenAccounts;
    assert.ok(second);
    const frozen = tokenAccount(splitRequest.mint, sponsor, { state: AccountState.Frozen });
    assert.deepEqual(foundIn(splitRequest, withSplitAccount(1, frozen)), ['recipient_token_account_frozen 1.to']);
    const given = tokenAccount(splitRequest.mint, freshWallet());
    assert.deepEqual(foundIn(splitRequest, withSplitAccount(1, given)), ['recipient_token_account_not_owned 1.to']);
    assert.deepEqual(foundIn({ ...splitRequest, createTokenAccount: 'never' }, withSplitAccount(1, null)), [
      'recipient_token_account_not_found 1.to',
    ]);
    assert.deepEqual(foundIn(splitRequest, { others: [[fee, mintAccount()]] }), ['recipient_is_mint 0.to']);
  });

  test('where a recipient demands a memo, which only the main payment has', () => {
    const account = tokenAccountsOf(splitRequest, token2022Program);
    const demanding = tokenAccount(splitRequest.mint, fee, demandingMemos);
    const [first] = account.splits;
    assert.ok(first);
    const scene: Scene = {
      mint: mintAccount({}, token2022Program),
      others: [...others2022(), [first.address, demanding]],
    };
    const asked = { ...splitRequest, memo: memoOf('hello') };
    assert.deepEqual(foundIn(asked, scene), ['recipient_requires_memo 0.to']);
  });

  test('where the transaction has no room for them', () => {
    const references = Array.from({ length: 10 }, freshWallet);
    const five = Array.from({ length: 5 }, () => ({ to: freshWallet(), amount: 1n }));
    const large = { ...splitRequest, feePayer: freshWallet(), references, splits: five };
    const missing = tokenAccountsOf(large, tokenProgram).splits.map(({ address }) => [address, null] as const);
    const payer = [large.feePayer, walletAccount(1_000_000_000n)] as const;
    assert.deepEqual(foundIn(large, { others: [payer] }), []);
    assert.deepEqual(foundIn(large, { others: [payer, ...missing], recipientTokenAccount: null }), [
      'transaction_too_large splits',
    ]);
    assert.deepEqual(
      foundIn({ ...large, version: 1 }, { others: [payer, ...missing], recipientTokenAccount: null }),
      [],
    );
  });
});

describe('A decimal amount', () => {
  const asked = { ...requestOf(), amount: { digits: 15n, fractionDigits: 1 } };

  test('with more digits than the mint has decimals is refused, together with everything else', () => {
    const finer = { ...asked, amount: { digits: 15_000_001n, fractionDigits: 7 } };
    assert.deepEqual(foundIn(finer, { sender: walletAccount(0n) }), [
      'amount_not_representable amountDecimal',
      'insufficient_sol from',
    ]);
  });

  test('that is more than the balance is refused by its own field', () => {
    const senderTokenAccount = tokenAccount(asked.mint, asked.from, { amount: 1_499_999n });
    assert.deepEqual(foundIn(asked, { senderTokenAccount }), ['insufficient_token_balance amountDecimal']);
  });
});

test('An amount that cannot be said in base units counts as none against the balance', () => {
  const asked = { ...requestOf(), amount: { digits: 15_000_001n, fractionDigits: 7 } };
  const senderTokenAccount = tokenAccount(asked.mint, asked.from, { amount: 0n }, tokenProgram);
  assert.deepEqual(foundIn(asked, { senderTokenAccount }), ['amount_not_representable amountDecimal']);
});
