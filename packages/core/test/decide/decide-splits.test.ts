import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState, extension } from '@solana-program/token-2022';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import { rentOf, sentAmount } from '../../src/plan/transfer-plan.ts';
import type { Split, TransferRequest } from '../../src/request/transfer-request.ts';
import {
  contextIn,
  decideIn,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  type Scene,
  tokenAccount,
  walletAccount,
} from '../chain-accounts.ts';
import { memoOf } from '../random-plans.ts';

const [fee, sponsor] = [freshWallet(), freshWallet()];
const splits: readonly Split[] = [
  { to: fee, amount: 300n },
  { to: sponsor, amount: 200n },
];
const request = requestOf({ splits, createTokenAccount: 'if_missing' });
const tokenAccounts = deriveTokenAccounts(request, tokenProgram).splits.map(({ address: each }) => each);

function planOf(asked: TransferRequest = request, scene: Scene = {}) {
  const decision = decideIn(asked, scene);
  assert.ok(
    'plan' in decision,
    JSON.stringify(decision, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return decision.plan;
}

/** A scene in which the token account of a split is this one. */
function withSplitAccount(index: number, account: ReturnType<typeof tokenAccount> | null): Scene {
  const each = tokenAccounts[index];
  assert.ok(each);
  return { others: [[each, account]] };
}

describe('Splits are planned', () => {
  test('in their order, before the main payment', () => {
    const plan = planOf();
    assert.deepEqual(
      plan.splits.map(({ recipient, amount, recipientTokenAccount }) => [recipient, amount, recipientTokenAccount]),
      [
        [fee, 300n, tokenAccounts[0]],
        [sponsor, 200n, tokenAccounts[1]],
      ],
    );
    assert.equal(sentAmount(plan), 1_500_500n);
  });

  test('with a token account created for each recipient that has none, and its rent', () => {
    const plan = planOf(request, { ...withSplitAccount(1, null), recipientTokenAccount: null });
    assert.deepEqual(
      [...plan.splits, plan].map(({ createsRecipientTokenAccount, rent }) => [createsRecipientTokenAccount, rent]),
      [
        [false, 0n],
        [true, 2_039_280n],
        [true, 2_039_280n],
      ],
    );
    assert.equal(rentOf(plan), 2n * 2_039_280n);
  });

  test('with one token account created for a recipient who is paid more than once', () => {
    const twice = requestOf({ createTokenAccount: 'always', splits: [{ to: fee, amount: 1n }] });
    const again = { ...twice, splits: [...twice.splits, { to: fee, amount: 2n }, { to: twice.to, amount: 3n }] };
    const account = deriveTokenAccounts(again, tokenProgram).splits[0]?.address;
    assert.ok(account);
    const plan = planOf(again, { others: [[account, null]], recipientTokenAccount: null });
    assert.deepEqual(
      [...plan.splits, plan].map(({ createsRecipientTokenAccount }) => createsRecipientTokenAccount),
      [true, false, true, false],
    );
    assert.equal(rentOf(plan), 2n * 2_039_280n);
  });

  test('with what the mint withholds of each', () => {
    const transferFee = { epoch: 1n, maximumFee: 10_000n, transferFeeBasisPoints: 100 };
    const key = address(request.mint);
    const config = extension('TransferFeeConfig', {
      transferFeeConfigAuthority: key,
      withdrawWithheldAuthority: key,
      withheldAmount: 0n,
      olderTransferFee: transferFee,
      newerTransferFee: transferFee,
    });
    const plan = planOf(request, {
      mint: mintAccount({ extensions: [config] }, token2022Program),
      others: others2022(),
    });
    assert.deepEqual(
      [...plan.splits, plan].map((payment) => payment.transferFee),
      [3n, 2n, 10_000n],
    );
  });
});

function others2022(): NonNullable<Scene['others']> {
  return deriveTokenAccounts(request, token2022Program).splits.map(({ address: each }, index) => [
    each,
    tokenAccount(request.mint, splits[index]?.to ?? fee, {}, token2022Program),
  ]);
}

describe('Splits are refused', () => {
  test('where all payments together are more than the balance, naming the sum', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: 1_500_499n });
    assert.deepEqual(foundIn(request, { senderTokenAccount }), ['insufficient_token_balance amount']);
    assert.partialDeepStrictEqual(contextIn(request, { senderTokenAccount }), {
      available: 1_500_499n,
      amount: 1_500_500n,
    });
    const enough = tokenAccount(request.mint, request.from, { amount: 1_500_500n });
    assert.deepEqual(foundIn(request, { senderTokenAccount: enough }), []);
  });

  test('where the rents of all token accounts together are more than the fee payer has', () => {
    const scene = { ...withSplitAccount(0, null), recipientTokenAccount: null };
    const cost = 5_000n + 2n * 2_039_280n;
    assert.deepEqual(foundIn(request, { ...scene, sender: walletAccount(cost) }), []);
    assert.deepEqual(foundIn(request, { ...scene, sender: walletAccount(cost - 1n) }), ['insufficient_sol from']);
  });

  test('with the index of the recipient who cannot be paid', () => {
    const [, second] = tokenAccounts;
    assert.ok(second);
    const frozen = tokenAccount(request.mint, sponsor, { state: AccountState.Frozen });
    assert.deepEqual(foundIn(request, withSplitAccount(1, frozen)), ['recipient_token_account_frozen 1.to']);
    const given = tokenAccount(request.mint, freshWallet());
    assert.deepEqual(foundIn(request, withSplitAccount(1, given)), ['recipient_token_account_not_owned 1.to']);
    assert.deepEqual(foundIn({ ...request, createTokenAccount: 'never' }, withSplitAccount(1, null)), [
      'recipient_token_account_not_found 1.to',
    ]);
    assert.deepEqual(foundIn(request, { others: [[fee, mintAccount()]] }), ['recipient_is_mint 0.to']);
  });

  test('where a recipient demands a memo, which only the main payment has', () => {
    const account = deriveTokenAccounts(request, token2022Program);
    const demanding = tokenAccount(
      request.mint,
      fee,
      { extensions: [extension('MemoTransfer', { requireIncomingTransferMemos: true })] },
      token2022Program,
    );
    const [first] = account.splits;
    assert.ok(first);
    const scene: Scene = {
      mint: mintAccount({}, token2022Program),
      others: [...others2022(), [first.address, demanding]],
    };
    const asked = { ...request, memo: memoOf('hello') };
    assert.deepEqual(foundIn(asked, scene), ['recipient_requires_memo 0.to']);
  });

  test('where the transaction has no room for them', () => {
    const references = Array.from({ length: 10 }, freshWallet);
    const five = Array.from({ length: 5 }, () => ({ to: freshWallet(), amount: 1n }));
    const large = { ...request, feePayer: freshWallet(), references, splits: five };
    const missing = deriveTokenAccounts(large, tokenProgram).splits.map(({ address }) => [address, null] as const);
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

describe('A token account is created only where there is none', () => {
  const asked = requestOf({ createTokenAccount: 'if_missing' });

  test('when the request says so', () => {
    assert.equal(planOf(asked).createsRecipientTokenAccount, false);
    const plan = planOf(asked, { recipientTokenAccount: null });
    assert.deepEqual([plan.createsRecipientTokenAccount, plan.rent], [true, 2_039_280n]);
  });

  test('and an account that only holds lamports is none', () => {
    const plan = planOf(asked, { recipientTokenAccount: walletAccount(39_280n) });
    assert.deepEqual([plan.createsRecipientTokenAccount, plan.rent], [true, 2_000_000n]);
  });
});

describe('A decimal amount', () => {
  const asked = { ...requestOf(), amount: { digits: 15n, fractionDigits: 1 } };

  test('is as many base units as the decimals of the mint make it', () => {
    assert.equal(planOf(asked).amount, 1_500_000n);
  });

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
