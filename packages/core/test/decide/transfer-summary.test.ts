import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { decodeMint, type Mint } from '../../src/accounts/token-state.ts';
import { type BuiltTransfer, summarizeTransfer, type TransferSummary } from '../../src/decide/transfer-summary.ts';
import { role } from '../../src/transaction/instruction.ts';
import { mintAccount, tokenAccount } from '../chain-accounts.ts';
import { nonceOf } from '../random-option-plans.ts';
import { freshAddress, memoOf, planWith } from '../random-plans.ts';

const mint = decodeMint(mintAccount()) ?? assert.fail('it is a mint');

function summaryOf(parts: Parameters<typeof planWith>[0], built: Partial<BuiltTransfer> = {}): TransferSummary {
  return summarizeTransfer({
    plan: planWith(parts),
    mint,
    recipientRequiresMemo: false,
    senderTokenAccount: null,
    recipientTokenAccount: null,
    bytes: new Uint8Array(300),
    lifetime: { blockhash: 'a blockhash', lastValidBlockHeight: 150n },
    unitsConsumed: undefined,
    ...built,
  });
}

test('the summary of a plain transfer names what is in its plan, and nothing more', () => {
  const plan = planWith({});
  assert.deepEqual(summaryOf(plan), {
    transaction_version: 'legacy',
    size: 300,
    size_limit: 1232,
    signers: [plan.sender],
    fee_payer: plan.feePayer,
    token_program: plan.tokenProgram,
    decimals: 6,
    sender: plan.sender,
    sender_token_account: plan.senderTokenAccount,
    recipient: plan.recipient,
    recipient_token_account: plan.recipientTokenAccount,
    amount: { base_units: '1500000', decimal: '1.5' },
    transfer_fee: { base_units: '0', decimal: '0' },
    received_amount: { base_units: '1500000', decimal: '1.5' },
    network_fee: plan.networkFee.toString(),
    priority_fee: '0',
    rent: plan.rent.toString(),
    creates_token_account: false,
    compute_unit_limit: null,
    compute_units_consumed: null,
    blockhash: 'a blockhash',
    last_valid_block_height: '150',
    nonce: null,
    recipient_requires_memo: false,
    memo: null,
    references: [],
    transfer_hook: null,
    sender_token_account_delegate: null,
    sender_token_account_close_authority: null,
    recipient_token_account_delegate: null,
    recipient_token_account_close_authority: null,
    warnings: [],
  });
});

test('fees, rent and limits are exact', () => {
  const { transfer_fee, received_amount, priority_fee, rent, network_fee, compute_unit_limit } = summaryOf({
    amount: 2n ** 64n - 1n,
    transferFee: 10n,
    priorityFee: 2n ** 63n,
    rent: 2_039_280n,
    networkFee: 10_000n,
    computeUnitLimit: 80_000,
  });
  assert.deepEqual(transfer_fee, { base_units: '10', decimal: '0.00001' });
  assert.deepEqual(received_amount, { base_units: '18446744073709551605', decimal: '18446744073709.551605' });
  assert.deepEqual(
    [priority_fee, rent, network_fee, compute_unit_limit],
    ['9223372036854775808', '2039280', '10000', 80_000],
  );
});

test('a token account is created where the plan creates one and none is there', () => {
  for (const [createsRecipientTokenAccount, recipientTokenAccountExists, creates] of [
    [true, false, true],
    [true, true, false],
    [false, true, false],
  ] as const) {
    const summary = summaryOf({ createsRecipientTokenAccount, recipientTokenAccountExists });
    assert.equal(summary.creates_token_account, creates);
  }
});

test('another fee payer signs first', () => {
  const feePayer = freshAddress();
  const { signers, fee_payer, sender } = summaryOf({ feePayer });
  assert.deepEqual([signers, fee_payer], [[feePayer, sender], feePayer]);
});

test('a durable nonce takes the place of the blockhash, with a warning', () => {
  const nonce = nonceOf(freshAddress());
  const summary = summaryOf({ nonce }, { lifetime: { nonce: nonce.nonce } });
  assert.deepEqual([summary.blockhash, summary.last_valid_block_height], [null, null]);
  assert.deepEqual(summary.nonce, { account: nonce.account, authority: nonce.authority, value: nonce.nonce });
  assert.deepEqual(
    summary.warnings.map(({ code }) => code),
    ['durable_nonce'],
  );
});

test('a memo and references are repeated, and a memo that is not as it looks is warned of', () => {
  const references = [freshAddress(), freshAddress()];
  const summary = summaryOf(
    { memo: memoOf('a\u200bb'), references },
    { recipientRequiresMemo: true, unitsConsumed: 0 },
  );
  assert.deepEqual([summary.memo, summary.references], ['a\u200bb', references]);
  assert.deepEqual([summary.recipient_requires_memo, summary.compute_units_consumed], [true, 0]);
  assert.deepEqual(
    summary.warnings.map(({ code }) => code),
    ['memo_invisible_characters'],
  );
});

test('a transfer hook is named with the accounts that it may write', () => {
  const [program, written] = [freshAddress(), freshAddress()];
  const hooked: Mint = { ...mint, transferHookProgram: program, hasFreezeAuthority: true };
  const hookAccounts = [role.writable(written), role.readonly(freshAddress())];
  const { transfer_hook, warnings } = summaryOf({ hookAccounts }, { mint: hooked });
  assert.deepEqual(transfer_hook, { program, writable_accounts: [written] });
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['freeze_authority', 'transfer_hook'],
  );
});

test('who else may send from or close a token account is named with it', () => {
  const [sends, closes] = [freshAddress(), freshAddress()];
  const plan = planWith({});
  const parts = { delegate: address(sends), delegatedAmount: 2_000_000n, closeAuthority: address(closes) };
  const controlled = (owner: typeof plan.sender) => tokenAccount(plan.mint, owner, parts);
  const delegate = { address: sends, amount: { base_units: '2000000', decimal: '2' } };

  const ofSender = summaryOf(plan, { senderTokenAccount: controlled(plan.sender) });
  assert.deepEqual(ofSender.sender_token_account_delegate, delegate);
  assert.equal(ofSender.sender_token_account_close_authority, closes);
  assert.equal(ofSender.recipient_token_account_delegate, null);
  assert.deepEqual(
    ofSender.warnings.map(({ code }) => code),
    ['sender_delegate'],
  );

  const ofRecipient = summaryOf(plan, { recipientTokenAccount: controlled(plan.recipient) });
  assert.deepEqual(ofRecipient.recipient_token_account_delegate, delegate);
  assert.equal(ofRecipient.recipient_token_account_close_authority, closes);
  assert.equal(ofRecipient.sender_token_account_delegate, null);
});
