import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import type { Account } from '../../src/accounts/account.ts';
import { type BatchSummary, summarizeBatch } from '../../src/batch/batch-summary.ts';
import type { DecidedPart } from '../../src/batch/decide-batch.ts';
import { walletOf } from '../../src/plan/transfer-facts.ts';
import {
  associatedAccount,
  associatedAccountWith,
  changed,
  codesOf,
  freshAddress,
  memoOf,
  nonceOf,
  paymentOf,
  plainMint,
  planWith,
  tokenAccount,
  walletAccount,
} from '../fixtures.ts';

const sender = freshAddress();
const feePayer = freshAddress();
const mint = freshAddress();
const thief = freshAddress();
const shared = { sender, feePayer, mint };
const lent = { delegate: address(thief), delegatedAmount: 3n };

const [first, second, third, fourth] = [1n, 20n, 300n, 4_000n].map((amount) =>
  paymentOf(planWith(shared), {
    recipient: freshAddress(),
    amount,
    transferFee: amount,
    rent: amount * 10n,
    createsRecipientTokenAccount: true,
  }),
);
assert.ok(first && second && third && fourth);
const created = [first, second, third, fourth];
const existing = { ...third, recipientTokenAccountExists: true, rent: 0n };

/** Two transactions: the first pays `first` and `second`, the other one `third` and `fourth`. */
const plans = [
  planWith({ ...shared, ...second, splits: [first], networkFee: 5n, priorityFee: 70n }),
  planWith({ ...shared, ...fourth, splits: [existing], networkFee: 11n, priorityFee: 900n, version: 1 }),
];

interface Known {
  isUnknown?: boolean;
  memo?: string;
  account?: Account;
}

/** What was read of each transfer: of those that are not named, a wallet, and a token account that is not there. */
function paymentsWith(...known: readonly Known[]): DecidedPart['payments'] {
  return created.map(({ recipient, amount, recipientTokenAccount }, index) => {
    const { memo, account, isUnknown = false } = known[index] ?? {};
    return {
      to: recipient,
      amount,
      field: { transfer: index, part: 'to' },
      memo: memo === undefined ? undefined : memoOf(memo),
      references: [],
      wallet: walletOf(isUnknown ? null : walletAccount(1n)),
      tokenAccount: { ...associatedAccountWith(mint, account ?? null), address: recipientTokenAccount },
      hookFault: undefined,
      hookAccounts: [],
    };
  });
}

function partWith(changes: Partial<DecidedPart> = {}): DecidedPart {
  return {
    mint: plainMint,
    clock: { epoch: 700n, unixSeconds: 0n },
    tokenAccountRent: 10n,
    senderTokenAccount: associatedAccount(),
    payments: paymentsWith(),
    plans,
    indices: [0, 1, 2, 3],
    ...changes,
  };
}

function summaryOf(...parts: readonly Partial<DecidedPart>[]): BatchSummary {
  const all = parts.map(partWith);
  return summarizeBatch({
    parts: all,
    transactions: all.flatMap((part) => part.plans.map((plan) => ({ plan, transfers: [] }))),
    lowerBound: 2,
    bytes: [],
    lifetime: { blockhash: 'a blockhash', lastValidBlockHeight: 150n },
  });
}

describe('the summary of a batch of several transactions', () => {
  it('is the sum of what each of them sends, withholds and costs', () => {
    const [plan] = plans;
    assert.ok(plan);
    const tokens = {
      mint,
      tokenProgram: plan.tokenProgram,
      decimals: 6,
      uiScale: undefined,
      senderTokenAccount: plan.senderTokenAccount,
      amount: 4_321n,
      transferFee: 4_321n,
      receivedAmount: 0n,
    };
    assert.deepEqual(summaryOf({}), {
      transactionVersion: 1,
      transactionCount: 2,
      fewestTransactions: 2,
      transferCount: 4,
      signers: [feePayer, sender],
      feePayer,
      sender,
      tokens: [tokens],
      networkFee: 16n,
      priorityFee: 970n,
      rent: 40_210n,
      sponsorFee: undefined,
      createdTokenAccounts: 3,
      warnings: [],
    });
    const withheld = plans.map((each) => changed(each, { transferFee: 0n }));
    const { tokens: sums } = summaryOf({ plans: withheld });
    assert.deepEqual(sums, [{ ...tokens, transferFee: 301n, receivedAmount: 4_020n }]);
    // Whoever is paid by several transactions has one account made.
    assert.equal(summaryOf({ plans: [plan, structuredClone(plan)] }).createdTokenAccounts, 2);
  });

  it('sums up each mint by itself, and warns of a recipient who is paid one of them twice', () => {
    const [one, other] = plans;
    assert.ok(one && other);
    const [first, ...rest] = paymentsWith();
    assert.ok(first);
    const ofOther = { payments: [first, first], plans: [{ ...other, mint: freshAddress() }], indices: [0, 3] };
    const summary = summaryOf({ payments: [...rest.slice(0, 1), first], plans: [one], indices: [1, 2] }, ofOther);
    const { tokens, transferCount, networkFee, warnings } = summary;
    assert.deepEqual(
      tokens.map(({ amount }) => amount),
      [21n, 4_300n],
    );
    assert.deepEqual([transferCount, networkFee], [4, 16n]);
    assert.deepEqual(warnings, [{ code: 'repeated_recipient', context: { recipient: first.to, transfers: [0, 3] } }]);
  });

  it('warns of whoever may take tokens out of the account of the sender or of any recipient', () => {
    const payments = paymentsWith(
      ...created.map(({ recipient }) => ({ account: tokenAccount(mint, recipient, lent) })),
    );
    const { warnings } = summaryOf({
      senderTokenAccount: associatedAccountWith(mint, tokenAccount(mint, sender, lent)),
      payments,
    });
    const context = { delegate: thief, amount: 3n, decimals: 6 };
    const ofRecipients = [fourth, first, second, third].map(({ recipientTokenAccount }) => ({
      code: 'recipient_delegate',
      context: { tokenAccount: recipientTokenAccount, ...context },
    }));
    assert.deepEqual(warnings, [
      ...ofRecipients,
      { code: 'sender_delegate', context: { tokenAccount: plans[0]?.senderTokenAccount, ...context } },
    ]);
    const alone = paymentsWith({}, { account: tokenAccount(mint, second.recipient, lent) });
    assert.deepEqual(summaryOf({ payments: alone }).warnings, [
      { code: 'recipient_delegate', context: { tokenAccount: second.recipientTokenAccount, ...context } },
    ]);
  });

  it('warns once of all recipients that the chain knows nothing of, each once', () => {
    const payments = paymentsWith({}, { isUnknown: true }, {}, { isUnknown: true });
    const again = payments[1];
    assert.ok(again);
    const { warnings } = summaryOf({ payments: [...payments, again], indices: [0, 1, 2, 3, 4] });
    const recipients = [second.recipient, fourth.recipient];
    assert.partialDeepStrictEqual(warnings[0], { code: 'recipient_never_used', context: { recipients } });
    assert.deepEqual(codesOf(warnings), ['recipient_never_used', 'repeated_recipient']);
  });

  it('warns of a nonce, and of each kind of strange characters in any memo once', () => {
    const [plan] = plans;
    assert.ok(plan);
    const nonce = nonceOf(sender);
    const payments = paymentsWith({ memo: 'a\u0001' }, { memo: 'b\u0002' }, { memo: 'c\u0001' });
    const { warnings } = summaryOf({ plans: [changed(plan, { nonce })], payments });
    assert.deepEqual(warnings, [
      { code: 'durable_nonce', context: { nonceAccount: nonce.account } },
      { code: 'memo_control_characters', context: { characters: ['\u0001', '\u0002'] } },
      { code: 'durable_nonces_will_be_removed', context: { nonceAccount: nonce.account } },
    ]);
  });

  it('warns of a recipient who is paid twice', () => {
    const payments = paymentsWith().map((payment, index) =>
      index === 2 ? { ...payment, to: first.recipient } : payment,
    );
    assert.deepEqual(summaryOf({ payments }).warnings, [
      { code: 'repeated_recipient', context: { recipient: first.recipient, transfers: [0, 2] } },
    ]);
  });

  it('is that of one transaction at least', () => {
    assert.throws(() => summaryOf({ plans: [] }), { name: 'RangeError', message: 'a batch has a transaction' });
  });
});
