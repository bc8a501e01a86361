import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Mint } from '../../src/accounts/token-state.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import { estimateComputeUnits, highestPrice, type Prices, priorityFeeOf } from '../../src/plan/compute-budget.ts';
import { leastCostsOf, type PlanFacts, planTransfer } from '../../src/plan/plan-transfer.ts';
import type { ReadPayment } from '../../src/plan/transfer-facts.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { paymentsOf } from '../../src/request/transfer-request.ts';
import { role } from '../../src/transaction/instruction.ts';
import {
  associatedAccount,
  type BaseUnitRequest,
  changed,
  freshWallet,
  plainMint,
  plainState,
  readPaymentWith,
  recipientOf,
  requestOf,
  splitsOf,
  tokenAccountsOf,
} from '../fixtures.ts';
import { thawOf } from '../thaw.ts';

interface Known extends Partial<Prices> {
  mint?: Mint;
  epoch?: bigint;
  /** Of the split at the same index. */
  splits?: readonly Partial<ReadPayment>[];
}

function planOrNeeds(request: BaseUnitRequest, known: Known = {}): ReturnType<typeof planTransfer> {
  const { epoch = 700n, splits = [], recentPrices, maxPriorityFee = 1_000n } = known;
  const derived = tokenAccountsOf(request, tokenProgram);
  const [main = assert.fail(), ...others] = paymentsOf(request).map((payment) => ({
    ...payment,
    amount: BigInt(String(payment.amount)),
  }));
  const recipient = associatedAccount({ address: derived.recipient, bump: derived.recipientBump });
  const facts: PlanFacts = {
    mint: known.mint ?? plainMint,
    clock: { epoch },
    tokenAccountRent: 2_039_280n,
    senderTokenAccount: associatedAccount({ address: derived.sender, bump: derived.senderBump }),
    nonce: undefined,
  };
  const payments = [
    ...others.map((other, index) => {
      return readPaymentWith({ ...other, tokenAccount: associatedAccount(derived.splits[index]), ...splits[index] });
    }),
    readPaymentWith({ ...main, tokenAccount: recipient }),
  ];
  return planTransfer(request, facts, payments, { recentPrices, maxPriorityFee });
}

function planOf(request: BaseUnitRequest, known: Known = {}): TransferPlan {
  const plan = planOrNeeds(request, known);
  assert.ok('computeUnitPrice' in plan);
  return plan;
}

test('a plan names both wallets, their token accounts with the bumps, and what is paid', () => {
  const request = requestOf({ createTokenAccount: 'always', feePayer: freshWallet() });
  const pair = tokenAccountsOf(request, tokenProgram);
  const plan = planOf(request);
  assert.deepEqual(
    [plan.sender, plan.senderTokenAccount, plan.senderTokenAccountBump],
    [request.from, pair.sender, pair.senderBump],
  );
  assert.deepEqual(
    [recipientOf(plan).recipient, recipientOf(plan).recipientTokenAccount, recipientOf(plan).recipientTokenAccountBump],
    [request.to, pair.recipient, pair.recipientBump],
  );
  assert.deepEqual(
    [recipientOf(plan).createsRecipientTokenAccount, recipientOf(plan).rent, plan.feePayer],
    [true, 2_039_280n, request.feePayer],
  );
  assert.deepEqual([recipientOf(plan).transferFee, plan.computeUnitPrice, plan.priorityFee], [0n, 0n, 0n]);
  assert.equal(plan.networkFee, 10_000n);
  assert.equal(plan.computeUnitLimit, undefined);
});

test('the network fee is 5,000 lamports for each signature', () => {
  assert.equal(leastCostsOf(requestOf()).networkFee, 5_000n);
  assert.equal(leastCostsOf(requestOf({ feePayer: freshWallet() })).networkFee, 10_000n);
});

test('what the mint withholds is that of the epoch', () => {
  const fee = { epoch: 700n, maximumFee: 10_000n, basisPoints: 100 };
  const older = { epoch: 1n, maximumFee: 7n, basisPoints: 100 };
  const taxed = { ...plainMint, transferFeeConfig: { older, newer: fee } };
  assert.equal(recipientOf(planOf(requestOf({ amount: 500_000n }), { mint: taxed })).transferFee, 5_000n);
  assert.equal(recipientOf(planOf(requestOf({ amount: 500_000n }), { mint: taxed, epoch: 699n })).transferFee, 7n);
});

describe('a split', () => {
  const [one, other] = [
    { to: freshWallet(), amount: 400n },
    { to: freshWallet(), amount: 30_000n },
  ];
  test('is a payment of its own: alone, or one of several in their order', () => {
    for (const splits of [[one], [other, one]]) {
      const request = requestOf({ splits, createTokenAccount: 'if_missing' });
      const hookAccounts = [role.readonly(freshWallet())];
      const accounts = tokenAccountsOf(request, tokenProgram).splits;
      const there = associatedAccount({ ...accounts[1], state: plainState(one.to) });
      const plan = planOf(request, { splits: [{}, { tokenAccount: there, hookAccounts }] });
      const payments = request.splits.map(({ to, amount }, index) => ({
        recipient: to,
        recipientTokenAccount: accounts[index]?.address,
        recipientTokenAccountBump: accounts[index]?.bump,
        recipientTokenAccountExists: index === 1,
        createsRecipientTokenAccount: index === 0,
        amount,
        transferFee: 0n,
        rent: index === 0 ? 2_039_280n : 0n,
        memo: undefined,
        references: [],
        hookAccounts: index === 0 ? [] : hookAccounts,
      }));
      assert.deepEqual(splitsOf(plan), payments);
      assert.equal(recipientOf(plan).amount, request.amount);
    }
  });

  test('has the fee of its own amount withheld', () => {
    const fee = { epoch: 1n, maximumFee: 10_000n, basisPoints: 100 };
    const taxed = { ...plainMint, transferFeeConfig: { older: fee, newer: fee } };
    const plan = planOf(requestOf({ splits: [one, other] }), { mint: taxed });
    assert.deepEqual(
      splitsOf(plan).map(({ transferFee }) => transferFee),
      [4n, 300n],
    );
  });

  test('to a recipient that is paid again thaws the token account for all', () => {
    const thaw = thawOf();
    const plan = planOf(requestOf({ splits: [one, one] }), { splits: [{ thaw }, { thaw }] });
    assert.deepEqual(
      plan.payments.map((payment) => payment.thaw),
      [thaw, undefined, undefined],
    );
  });

  test('to the main recipient creates the token account, and then the main payment does not', () => {
    const request = requestOf({ createTokenAccount: 'if_missing' });
    const plan = planOf({ ...request, splits: [{ to: request.to, amount: 7n }] });
    assert.deepEqual([splitsOf(plan)[0]?.createsRecipientTokenAccount, splitsOf(plan)[0]?.rent], [true, 2_039_280n]);
    assert.deepEqual([recipientOf(plan).createsRecipientTokenAccount, recipientOf(plan).rent], [false, 0n]);
  });
});

describe('the compute budget', () => {
  const level = { priorityFee: { level: 'high' } } as const;

  function limitOf(request: BaseUnitRequest): number {
    return estimateComputeUnits(changed(planOf(request), { hookAccounts: [] }));
  }

  test('of a price that the caller names is that price, however high', () => {
    const request = requestOf({ priorityFee: { microLamportsPerComputeUnit: 10n ** 12n } });
    const plan = planOf(request);
    assert.deepEqual([plan.computeUnitPrice, plan.computeUnitLimit], [10n ** 12n, limitOf(request)]);
    assert.equal(plan.priorityFee, priorityFeeOf(10n ** 12n, limitOf(request)));
  });

  test('of a level needs recent prices, and is held to the highest price that the operator lets be paid', () => {
    const request = requestOf(level);
    const pair = tokenAccountsOf(request, tokenProgram);
    assert.deepEqual(planOrNeeds(request), { needsPricesFor: [request.feePayer, pair.sender, pair.recipient] });
    const limit = planOf(request, { recentPrices: [] }).computeUnitLimit;
    assert.ok(limit !== undefined);
    const highest = highestPrice(1_000n, limit);
    for (const [price, expected] of [
      [0n, 0n],
      [highest, highest],
      [highest + 1n, highest],
    ] as const) {
      const plan = planOf(request, { recentPrices: [price] });
      assert.equal(plan.computeUnitPrice, expected, `${price}`);
      assert.ok(plan.priorityFee <= 1_000n);
    }
  });

  test('of the x402 and MPP layouts has a level held to the most that facilitators accept, too', () => {
    const request = requestOf({ ...level, layout: 'x402' });
    for (const [price, expected] of [
      [4_999_999n, 4_999_999n],
      [5_000_000n, 5_000_000n],
      [5_000_001n, 5_000_000n],
    ] as const) {
      for (const layout of ['x402', 'mpp'] as const) {
        const plan = planOf({ ...request, layout }, { recentPrices: [price], maxPriorityFee: 10n ** 9n });
        assert.equal(plan.computeUnitPrice, expected, `${price}`);
      }
    }
    const limit = planOf(request, { recentPrices: [] }).computeUnitLimit ?? assert.fail('there is a limit');
    const held = planOf(request, { recentPrices: [10n ** 12n], maxPriorityFee: 10n });
    assert.equal(held.computeUnitPrice, highestPrice(10n, limit));
    const named = planOf({ ...request, priorityFee: { microLamportsPerComputeUnit: 6_000_000n } });
    assert.equal(named.computeUnitPrice, 6_000_000n);
  });

  test('of version 1 is always there, without a price where none was asked for', () => {
    const plan = planOf(requestOf({ version: 1 }));
    assert.ok((plan.computeUnitLimit ?? 0) > 20_000);
    assert.deepEqual([plan.computeUnitPrice, plan.priorityFee], [0n, 0n]);
  });
});
