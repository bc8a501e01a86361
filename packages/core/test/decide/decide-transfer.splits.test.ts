import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccountState } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { rentOf, sentAmount } from '../../src/plan/transfer-plan.ts';
import type { Split, TransferRequest } from '../../src/request/transfer-request.ts';
import {
  accountOf,
  contextIn,
  decidedIn,
  decideIn,
  demandingMemos,
  feeMint,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  recipientOf,
  requestOf,
  type Scene,
  splitsOf,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';
import { hookEntry, hookScene } from '../hooks.ts';

const [fee, sponsor] = [freshWallet(), freshWallet()];
const splits: readonly Split[] = [
  { to: fee, amount: 300n },
  { to: sponsor, amount: 200n },
];
const splitRequest = requestOf({ splits, createTokenAccount: 'if_missing' });
const tokenAccounts = tokenAccountsOf(splitRequest, tokenProgram).splits.map(({ address: each }) => each);

const planOf = (asked: TransferRequest = splitRequest, scene: Scene = {}) => decidedIn(asked, scene).plan;

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
      splitsOf(plan).map(({ recipient, amount, recipientTokenAccount }) => [recipient, amount, recipientTokenAccount]),
      [
        [fee, 300n, tokenAccounts[0]],
        [sponsor, 200n, tokenAccounts[1]],
      ],
    );
    assert.equal(sentAmount(plan), 1_500_500n);
  });

  test('with a token account created for each recipient that has none, and its rent', () => {
    const plan = planOf(splitRequest, { ...withSplitAccount(1, null), recipientTokenAccount: null });
    assert.deepEqual(
      plan.payments.map(({ createsRecipientTokenAccount, rent }) => [createsRecipientTokenAccount, rent]),
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
    const account = tokenAccountsOf(again, tokenProgram).splits[0]?.address;
    assert.ok(account);
    const plan = planOf(again, { others: [[account, null]], recipientTokenAccount: null });
    assert.deepEqual(
      plan.payments.map(({ createsRecipientTokenAccount }) => createsRecipientTokenAccount),
      [true, false, true, false],
    );
    assert.equal(rentOf(plan), 2n * 2_039_280n);
  });

  test('with what the mint withholds of each', () => {
    const mint = feeMint(100, 100, { maximumFee: 10_000n });
    const plan = planOf(splitRequest, { mint, others: others2022() });
    assert.deepEqual(
      plan.payments.map((payment) => payment.transferFee),
      [3n, 2n, 10_000n],
    );
  });
});

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

  test('is as many base units as the decimals of the mint make it', () => {
    assert.equal(recipientOf(planOf(asked)).amount, 1_500_000n);
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

const [one, other] = [freshWallet(), freshWallet()];
const request = requestOf({
  splits: [
    { to: one, amount: 300n },
    { to: other, amount: 200n },
  ],
});

test('What is needed of splits is the wallet and the token account of each', () => {
  const { splits } = tokenAccountsOf(request, tokenProgram);
  for (const unread of [one, other, ...splits.map(({ address }) => address)]) {
    assert.deepEqual(decideIn(request, { unread: [unread] }), { needs: [unread] });
  }
});

describe('The hook of a mint is asked for every payment', () => {
  const hookProgram = freshWallet();
  // The first account is derived from the wallet that is paid; the address of the second stands in the data of the first.
  const list = [hookEntry([1, 4, 2, 32, 32]), hookEntry([2, 2, 5, 0])];
  const [ofMain, ofOne, ofOther] = [request.to, one, other].map(
    (owner) => findProgramDerivedAddress(hookProgram, [addressToBytes(owner)]).address,
  );
  assert.ok(ofMain && ofOne && ofOther);
  const sceneWith = (...others: readonly (readonly [Address, Account | null])[]): Scene =>
    hookScene(request.mint, hookProgram, list, ...others);
  const pointing = accountOf(hookProgram, addressToBytes(freshWallet()));

  test('which needs the accounts of all of them at once', () => {
    assert.deepEqual(decideIn(request, sceneWith()), { needs: [ofMain, ofOne, ofOther] });
    assert.deepEqual(decideIn(request, sceneWith([ofMain, pointing], [ofOne, pointing])), { needs: [ofOther] });
    assert.deepEqual(decideIn(request, sceneWith([ofOne, pointing], [ofOther, pointing])), { needs: [ofMain] });
  });

  test('which refuses the transfer where that of one split cannot be had', () => {
    const read = [
      [ofMain, pointing],
      [ofOne, pointing],
      [ofOther, pointing],
    ] as const;
    assert.deepEqual(foundIn(request, sceneWith(...read)), []);
    for (const missing of [ofOne, ofOther]) {
      const scene = sceneWith(...read, [missing, null]);
      assert.deepEqual(contextIn(request, scene), {
        mint: request.mint,
        fault: { kind: 'account_not_found', account: missing },
      });
    }
  });
});

test('The token accounts of splits come with the decision as they were read', () => {
  const [first, second] = tokenAccountsOf(request, tokenProgram).splits;
  assert.ok(first && second);
  const there = tokenAccount(request.mint, one, { amount: 7n });
  const scene: Scene = {
    others: [
      [first.address, there],
      [second.address, null],
    ],
  };
  const { payments } = decidedIn({ ...request, createTokenAccount: 'if_missing' }, scene);
  const [, ...states] = payments.map((payment) => payment.tokenAccount.state);
  assert.deepEqual(
    states.map((state) => state?.amount),
    [7n, undefined],
  );
});

test('An amount that cannot be said in base units counts as none against the balance', () => {
  const asked = { ...requestOf(), amount: { digits: 15_000_001n, fractionDigits: 7 } };
  const senderTokenAccount = tokenAccount(asked.mint, asked.from, { amount: 0n }, tokenProgram);
  assert.deepEqual(foundIn(asked, { senderTokenAccount }), ['amount_not_representable amountDecimal']);
});
