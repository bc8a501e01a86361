import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import type { Mint } from '../../src/accounts/token-state.ts';
import { type BuiltTransfer, summarizeTransfer, type TransferSummary } from '../../src/decide/transfer-summary.ts';
import { walletOf } from '../../src/plan/transfer-facts.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import {
  associatedAccount,
  associatedAccountWith,
  changed,
  codesOf,
  freshAddress,
  freshWallet,
  memoOf,
  nonceOf,
  type PlanParts,
  paymentOf,
  plainMint,
  plainState,
  planWith,
  readPaymentWith,
  recipientOf,
  tokenAccount,
} from '../fixtures.ts';
import { thawOf } from '../thaw.ts';

function summaryOf(parts: TransferPlan | PlanParts, built: Partial<BuiltTransfer> = {}): TransferSummary {
  return summarizeTransfer({
    plan: 'payments' in parts ? parts : planWith(parts),
    mint: plainMint,
    clock: { epoch: 700n, unixSeconds: 0n },
    tokenAccountRent: 10n,
    senderTokenAccount: associatedAccount(),
    payments: [readPaymentWith({})],
    bytes: new Uint8Array(300),
    lifetime: { blockhash: 'a blockhash', lastValidBlockHeight: 150n },
    unitsConsumed: undefined,
    ...built,
  });
}

test('the summary of a plain transfer names what is in its plan, and nothing more', () => {
  const plan = planWith({});
  assert.deepEqual(summaryOf(plan), {
    transactionVersion: 'legacy',
    size: 300,
    sizeLimit: 1232,
    signers: [plan.sender],
    feePayer: plan.feePayer,
    tokenProgram: plan.tokenProgram,
    decimals: 6,
    uiScale: undefined,
    sender: plan.sender,
    senderTokenAccount: plan.senderTokenAccount,
    recipient: recipientOf(plan).recipient,
    recipientTokenAccount: recipientOf(plan).recipientTokenAccount,
    amount: 1_500_000n,
    transferFee: 0n,
    receivedAmount: 1_500_000n,
    networkFee: plan.networkFee,
    priorityFee: 0n,
    rent: recipientOf(plan).rent,
    createsTokenAccount: false,
    tip: undefined,
    thawsTokenAccount: false,
    splits: [],
    sponsorFee: undefined,
    computeUnitLimit: undefined,
    computeUnitsConsumed: undefined,
    blockhash: 'a blockhash',
    lastValidBlockHeight: 150n,
    nonce: undefined,
    recipientRequiresMemo: false,
    memo: undefined,
    references: [],
    transferHook: undefined,
    senderTokenAccountControl: undefined,
    recipientTokenAccountControl: undefined,
    wrap: undefined,
    unwrap: undefined,
    warnings: [],
  });
});

test('fees, rent and limits are exact', () => {
  const { transferFee, receivedAmount, priorityFee, rent, networkFee, computeUnitLimit } = summaryOf({
    amount: 2n ** 64n - 1n,
    transferFee: 10n,
    priorityFee: 2n ** 63n,
    rent: 2_039_280n,
    networkFee: 10_000n,
    computeUnitLimit: 80_000,
  });
  assert.deepEqual([transferFee, receivedAmount], [10n, 2n ** 64n - 11n]);
  assert.deepEqual([priorityFee, rent, networkFee, computeUnitLimit], [2n ** 63n, 2_039_280n, 10_000n, 80_000]);
});

test('a token account is created where the plan creates one and none is there', () => {
  for (const [createsRecipientTokenAccount, recipientTokenAccountExists, creates] of [
    [true, false, true],
    [true, true, false],
    [false, true, false],
  ] as const) {
    const summary = summaryOf({ createsRecipientTokenAccount, recipientTokenAccountExists });
    assert.equal(summary.createsTokenAccount, creates);
  }
});

test('another fee payer signs first', () => {
  const feePayer = freshAddress();
  const summary = summaryOf({ feePayer });
  assert.deepEqual([summary.signers, summary.feePayer], [[feePayer, summary.sender], feePayer]);
});

test('a durable nonce takes the place of the blockhash, with a warning', () => {
  const nonce = nonceOf(freshAddress());
  const summary = summaryOf({ nonce }, { lifetime: { nonce: nonce.nonce } });
  assert.deepEqual([summary.blockhash, summary.lastValidBlockHeight], [undefined, undefined]);
  assert.deepEqual(summary.nonce, nonce);
  assert.deepEqual(codesOf(summary.warnings), ['durable_nonce', 'durable_nonces_will_be_removed']);
});

test('a memo and references are repeated, and a memo that is not as it looks is warned of', () => {
  const references = [freshAddress(), freshAddress()];
  const demanding = associatedAccount({ state: { ...plainState(freshAddress()), requiresMemo: true } });
  const summary = summaryOf(
    { memo: memoOf('a\u200bb'), references },
    { payments: [readPaymentWith({ tokenAccount: demanding })], unitsConsumed: 0 },
  );
  assert.deepEqual([summary.memo, summary.references], ['a\u200bb', references]);
  assert.deepEqual([summary.recipientRequiresMemo, summary.computeUnitsConsumed], [true, 0]);
  assert.deepEqual(codesOf(summary.warnings), ['memo_invisible_characters']);
});

test('a transfer hook is named with the accounts that it may write', () => {
  const [program, written] = [freshAddress(), freshAddress()];
  const hooked: Mint = { ...plainMint, transferHookProgram: program, hasFreezeAuthority: true };
  const hookAccounts = [role.writable(written), role.readonly(freshAddress())];
  const { transferHook, warnings } = summaryOf({ hookAccounts }, { mint: hooked });
  assert.deepEqual(transferHook, { program, writableAccounts: [written] });
  assert.deepEqual(codesOf(warnings), ['transfer_hook', 'freeze_authority']);
});

test('a thaw is told of whom it is for, with the gate program that may refuse it', () => {
  const thaw = thawOf();
  const plan = planWith({});
  const split = paymentOf(plan, { recipient: freshAddress(), amount: 1n, thaw });
  const other = paymentOf(plan, { recipient: freshAddress(), amount: 1n });
  const summary = summaryOf(changed(plan, { thaw, splits: [other, split] }));
  assert.deepEqual(
    [summary.thawsTokenAccount, ...summary.splits.map((each) => each.thawsTokenAccount)],
    [true, false, true],
  );
  const tokenAccounts = [split.recipientTokenAccount, recipientOf(plan).recipientTokenAccount];
  const context = { mint: plan.mint, gateProgram: thaw.gateProgram, tokenAccounts };
  assert.deepEqual(summary.warnings, [{ code: 'token_account_thawed', context }]);
});

test('recipients that were never used are named in one warning, first of all, with those for which no key exists', () => {
  const vault = recipientOf(planWith({})).recipientTokenAccount;
  const neverUsed = [freshWallet(), vault];
  const fee = { epoch: 0n, maximumFee: 5n, basisPoints: 100 };
  const seizable = { ...plainMint, transferFeeConfig: { older: fee, newer: fee }, permanentDelegate: freshAddress() };
  const [one, other] = neverUsed.map((to) => readPaymentWith({ to, wallet: walletOf(null) }));
  assert.ok(one && other);
  const { warnings } = summaryOf({ transferFee: 5n }, { payments: [one, other], mint: seizable });
  assert.deepEqual(warnings[0]?.context, { recipients: neverUsed, offCurve: [vault] });
  assert.deepEqual(codesOf(warnings), ['recipient_never_used', 'transfer_fee', 'permanent_delegate']);
});

test('who else may send from or close a token account is named with it', () => {
  const [sends, closes] = [freshAddress(), freshAddress()];
  const plan = planWith({});
  const parts = { delegate: address(sends), delegatedAmount: 2_000_000n, closeAuthority: address(closes) };
  const controlled = (owner: typeof plan.sender) =>
    associatedAccountWith(plan.mint, tokenAccount(plan.mint, owner, parts));
  const delegate = { address: sends, amount: 2_000_000n };

  const ofSender = summaryOf(plan, { senderTokenAccount: controlled(plan.sender) });
  const expected = { owner: plan.sender, delegate, closeAuthority: closes, isNative: false };
  assert.partialDeepStrictEqual(ofSender.senderTokenAccountControl, expected);
  assert.equal(ofSender.recipientTokenAccountControl, undefined);
  assert.deepEqual(codesOf(ofSender.warnings), ['sender_delegate']);

  const payment = readPaymentWith({
    to: recipientOf(plan).recipient,
    tokenAccount: controlled(recipientOf(plan).recipient),
  });
  const ofRecipient = summaryOf(plan, { payments: [payment] });
  assert.partialDeepStrictEqual(ofRecipient.recipientTokenAccountControl, {
    ...expected,
    owner: recipientOf(plan).recipient,
  });
  assert.equal(ofRecipient.senderTokenAccountControl, undefined);
});

test('of each split the summary names what its recipient gets, and whether its token account is created', () => {
  const plan = planWith({});
  for (const [creates, exists, isCreated] of [
    [true, false, true],
    [true, true, false],
    [false, true, false],
    [false, false, false],
  ] as const) {
    const split = paymentOf(plan, {
      recipient: freshAddress(),
      amount: 100n,
      transferFee: 7n,
      createsRecipientTokenAccount: creates,
      recipientTokenAccountExists: exists,
    });
    const { splits } = summaryOf(changed(plan, { splits: [split] }), {
      payments: [readPaymentWith({}), readPaymentWith({})],
    });
    assert.deepEqual(splits, [
      {
        recipient: split.recipient,
        recipientTokenAccount: split.recipientTokenAccount,
        amount: 100n,
        transferFee: 7n,
        receivedAmount: 93n,
        createsTokenAccount: isCreated,
        thawsTokenAccount: false,
        recipientTokenAccountControl: undefined,
      },
    ]);
  }
});
