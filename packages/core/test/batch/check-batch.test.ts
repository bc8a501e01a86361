import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { sol } from '../../src/addresses/address.ts';
import { checkBatchLamports, checkBatchSender, rentOfBatch } from '../../src/batch/check-batch.ts';
import { planBatch } from '../../src/batch/plan-batch.ts';
import { finish } from '../../src/plan/steps.ts';
import { walletOf } from '../../src/plan/transfer-facts.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import {
  associatedAccountWith,
  changed,
  plainMint,
  readPaymentWith,
  tokenAccount,
  walletAccount,
} from '../fixtures.ts';
import { addressAt, batchFrom, noPrices, plainOptions, type TransferParts, transfersTo } from './random-batches.ts';

const minimum = 890_880n;
const rent = 2_039_280n;

// So long that each has a transaction of its own.
const long = 'a'.repeat(500);

function plansOf(...transfers: readonly Partial<TransferParts>[]): TransferPlan[] {
  const parts = transfersTo(...transfers.map((each) => ({ memo: long, ...each })));
  const { request, facts } = batchFrom(parts, plainOptions);
  const planned = finish(planBatch(request, facts, noPrices));
  assert.ok(typeof planned === 'object' && 'transactions' in planned);
  assert.equal(planned.transactions.length, transfers.length);
  return planned.transactions.map(({ plan }) => plan);
}

const { request: single } = batchFrom([], plainOptions);

function lamportsFound(plans: readonly TransferPlan[], account: Account | null, feePayer = single.feePayer) {
  const wallet = walletOf(account);
  const facts = { feePayer: wallet, sender: wallet, emptyAccountRent: minimum };
  return checkBatchLamports({ ...single, feePayer }, facts, plans)[0];
}

const isRefused = (plans: readonly TransferPlan[], lamports: bigint): boolean =>
  lamportsFound(plans, walletAccount(lamports)) !== undefined;

describe('the lamports of a batch', () => {
  it('pay the fee of every transaction and leave what an account must hold', () => {
    const plans = plansOf({}, {}, {});
    assert.ok(!isRefused(plans, 15_000n + minimum));
    assert.ok(isRefused(plans, 15_000n + minimum - 1n));
    // The last one would leave its payer between nothing and the minimum before it.
    assert.ok(isRefused(plans, 15_000n));
  });

  it('pay the rent of a token account once, whichever transaction comes first', () => {
    const plans = plansOf({ recipient: 1, exists: false }, { recipient: 1, exists: false }, {});
    assert.equal(rentOfBatch(plans), rent);
    assert.ok(!isRefused(plans, 15_000n + rent + minimum));
    assert.ok(isRefused(plans, 15_000n + rent + minimum - 1n));
  });

  it('may be all spent where each transaction, coming last, takes an account with it', () => {
    const each = plansOf({ exists: false }, { exists: false });
    assert.ok(!isRefused(each, 10_000n + 2n * rent));
    assert.ok(isRefused(each, 10_000n + 2n * rent + 1n));
    assert.ok(isRefused(each, 10_000n + 2n * rent - 1n));
    const notEach = plansOf({ exists: false }, {});
    assert.ok(isRefused(notEach, 10_000n + rent));
    const dear = plansOf({}, {}).map((plan) => changed(plan, { priorityFee: minimum }));
    assert.ok(!isRefused(dear, 10_000n + 2n * minimum));
    assert.ok(isRefused(dear, 10_000n + 2n * minimum - 1n));
    const shared = plansOf({ recipient: 1, exists: false }, { recipient: 1, exists: false });
    assert.ok(isRefused(shared, 10_000n + rent));
  });

  it('may be all spent where the last transaction takes just the minimum, as a fee or as rent', () => {
    const plans = plansOf({}, {});
    const feesOf = (priorityFee: bigint): TransferPlan[] => plans.map((plan) => changed(plan, { priorityFee }));
    assert.ok(!isRefused(feesOf(minimum - 5_000n), 2n * minimum));
    assert.ok(isRefused(feesOf(minimum - 5_001n), 2n * minimum - 2n));
    const rentsOf = (each: bigint): TransferPlan[] => plans.map((plan) => changed(plan, { rent: each }));
    assert.ok(!isRefused(rentsOf(minimum), 10_000n + 2n * minimum));
    assert.ok(isRefused(rentsOf(minimum - 1n), 10_000n + 2n * minimum - 2n));
  });

  it('of one transaction may be all spent as those of a single transfer', () => {
    const plans = plansOf({});
    assert.ok(!isRefused(plans, 5_000n));
    assert.ok(isRefused(plans, 5_001n));
    assert.ok(isRefused(plans, 4_999n));
  });

  it('pay the rent also where the same transaction pays the new account again, and rents of one lamport', () => {
    const [plan] = plansOf({ exists: false });
    assert.ok(plan);
    const again: TransferPlan = changed(plan, { rent: 0n, splits: plan.payments });
    assert.equal(rentOfBatch([again]), rent);
    assert.equal(rentOfBatch([changed(plan, { rent: 1n })]), 1n);
  });

  // Each transaction brings the fee payer so much SOL, for a fee; one more, of a token, is there with the rent of its account.
  const isPayerRefused = (steps: readonly { brings: bigint; fee: bigint }[], lamports: bigint, rentOfTokens = 0n) => {
    const payer = addressAt(5);
    const paying = plansOf(...steps.map(() => ({}))).map((plan, index): TransferPlan => {
      const { brings = 0n, fee = 0n } = steps[index] ?? {};
      const parts = { amount: brings, recipient: brings > 0n ? payer : addressAt(6), rent: 0n };
      return { ...changed(plan, parts), priorityFee: fee - 5_000n, feePayer: payer, mint: sol };
    });
    const [token] = plansOf({});
    if (token && rentOfTokens > 0n) paying.push({ ...changed(token, { rent: rentOfTokens }), feePayer: payer });
    const wallets = { feePayer: walletOf(walletAccount(lamports)), sender: walletOf(walletAccount(10n ** 12n)) };
    const batch = { ...single, mint: sol, feePayer: payer };
    return checkBatchLamports(batch, { ...wallets, emptyAccountRent: minimum }, paying).length > 0;
  };

  it('of a fee payer that the batch pays SOL to cover each fee after those of all that bring less than they take', () => {
    const isRefusedWith = (brought: readonly bigint[], lamports: bigint, rentOfTokens?: bigint) => {
      const steps = brought.map((brings) => ({ brings, fee: 5_000n }));
      return isPayerRefused(steps, lamports, rentOfTokens);
    };
    for (const [brought, needed] of [
      // Two fees of others, and then its own.
      [[1_000_000n, 0n, 0n], 15_000n],
      [[3_000n, 0n, 0n], 15_000n],
      [[1_000_000n, 1_000_000n, 0n], 10_000n],
      [[1_000_000n, 1_000_000n, 1_000_000n], 5_000n],
    ] as const) {
      assert.ok(!isRefusedWith(brought, minimum + needed), `${brought}`);
      assert.ok(isRefusedWith(brought, minimum + needed - 1n), `${brought}`);
      // Its fee, too.
      assert.ok(!isRefusedWith(brought, minimum + needed + 5_000n + rent, rent), `${brought}`);
      assert.ok(isRefusedWith(brought, minimum + needed + 5_000n + rent - 1n, rent), `${brought}`);
    }
  });

  it('of a fee payer that the batch pays SOL to may be used up by a fee where everything else makes a difference of the minimum', () => {
    const repaid = { brings: minimum, fee: minimum };
    const taking = { brings: 0n, fee: minimum };
    const all = 2n * minimum;
    assert.ok(!isPayerRefused([repaid, taking], all));
    assert.ok(isPayerRefused([repaid, taking], all - 1n));
    assert.ok(isPayerRefused([repaid, taking], all + 1n));
    // Its own difference is not what is left before it.
    assert.ok(!isPayerRefused([{ brings: minimum + 1n, fee: all }, taking], all + minimum));
    // What it brings is then all there is.
    assert.ok(isPayerRefused([{ brings: minimum - 1n, fee: minimum }, taking], all));
    // Before it, all but the fee of the other may be there.
    assert.ok(isPayerRefused([repaid, { brings: 0n, fee: minimum - 1n }], all - 1n));
    // Or what a third brings more than it takes.
    const third = (brings: bigint) => isPayerRefused([repaid, taking, { brings, fee: minimum }], all);
    assert.deepEqual([minimum, minimum + 1n, 2n * minimum].map(third), [false, true, false]);
  });

  it('are named with what is missing', () => {
    const plans = plansOf({ exists: false }, {}).map((plan) => changed(plan, { priorityFee: 7n }));
    const [first] = plans;
    assert.deepEqual(lamportsFound(plans, null), {
      code: 'insufficient_sol',
      field: 'from',
      context: {
        wallet: first?.feePayer,
        balance: 0n,
        networkFee: 10_000n,
        priorityFee: 14n,
        rent,
        sent: 0n,
        minimumBalance: minimum,
      },
    });
    assert.equal(lamportsFound([], walletAccount(1n)), undefined);
    assert.equal(lamportsFound(plans, null, addressAt(5))?.field, 'feePayer');
  });
});

describe('the tokens of a batch', () => {
  const { from, mint } = single;
  const judged = (
    amounts: readonly (bigint | undefined)[],
    isOne: boolean,
    delegated?: bigint,
    owner = from,
  ): string[] => {
    const delegation = delegated === undefined ? {} : { delegate: from, delegatedAmount: delegated };
    const account = tokenAccount(mint, owner, { amount: 100n, ...(delegation as object) });
    const facts = {
      mint: plainMint,
      senderTokenAccount: associatedAccountWith(mint, account),
      payments: amounts.map((amount) => readPaymentWith(amount === undefined ? { amountFault: fault } : { amount })),
    };
    const findings = checkBatchSender(single, facts, isOne ? 1 : 2);
    return findings.map(({ code, field }) => `${code} ${field}`);
  };
  const fault = { kind: 'too_large', max: 1n } as const;
  const tooFew = ['insufficient_token_balance transfers'];

  it('are enough for the sum', () => {
    assert.deepEqual(judged([60n, 40n], false), []);
    assert.deepEqual(judged([60n, 41n], false), tooFew);
  });

  it('of an owner that is its own delegate are enough in any order, or in the one order there is', () => {
    assert.deepEqual(judged([30n, 20n, 10n], true, 50n), []);
    assert.deepEqual(judged([30n, 20n, 10n], false, 50n), tooFew);
    assert.deepEqual(judged([30n, 20n, 10n], false, 60n), []);
    assert.deepEqual(judged([20n, 20n, 20n], false, 40n), []);
    assert.deepEqual(judged([20n, 20n, 20n], false, 50n), tooFew);
  });

  it('are counted without amounts that are not known, by which an owner may have used up what it delegated to itself', () => {
    assert.deepEqual(judged([undefined, 60n, 41n], true), tooFew);
    assert.deepEqual(judged([undefined, 60n, 40n], true), []);
    assert.deepEqual(judged([undefined, 60n], true, 50n), []);
    assert.deepEqual(judged([undefined, 101n], true, 50n), tooFew);
    assert.deepEqual(judged([60n], true, 50n), tooFew);
    assert.deepEqual(judged([undefined, 60n], false, 50n), tooFew);
  });

  it('are those of an account of the sender', () => {
    assert.deepEqual(judged([101n], true, undefined, addressAt(4)), ['sender_token_account_not_owned from', ...tooFew]);
  });
});
