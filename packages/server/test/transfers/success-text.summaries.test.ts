import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { getBase58Decoder } from '@solana/kit';
import { type TransferSummary, toAddress } from 'splwright-core';
import { Check } from 'typebox/schema';
import { summarySchema } from '../../src/transfers/reply-schema.ts';
import { messageHashOf, summaryJson } from '../../src/transfers/transaction-replies.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

const [sender, recipient, program] = [toAddress(alice), toAddress(bob), toAddress(usdc)];

const plain: TransferSummary = {
  transactionVersion: 'legacy',
  size: 300,
  sizeLimit: 1232,
  signers: [sender],
  feePayer: sender,
  tokenProgram: program,
  decimals: 6,
  uiScale: undefined,
  sender,
  senderTokenAccount: program,
  recipient,
  recipientTokenAccount: sender,
  amount: 2n ** 64n - 1n,
  transferFee: 10n,
  receivedAmount: 2n ** 64n - 11n,
  networkFee: 10_000n,
  priorityFee: 2n ** 63n,
  rent: 2_039_280n,
  tip: undefined,
  wrap: undefined,
  unwrap: undefined,
  createsTokenAccount: true,
  thawsTokenAccount: true,
  splits: [],
  sponsorFee: undefined,
  computeUnitLimit: undefined,
  computeUnitsConsumed: undefined,
  blockhash: undefined,
  lastValidBlockHeight: undefined,
  nonce: undefined,
  recipientRequiresMemo: false,
  memo: undefined,
  references: [],
  transferHook: undefined,
  senderTokenAccountControl: undefined,
  recipientTokenAccountControl: undefined,
  warnings: [],
};

function sha256InBase58(...message: readonly number[]): string {
  const digest = createHash('sha256').update(Uint8Array.from(message)).digest();
  return getBase58Decoder().decode(digest);
}

test('The message hash is that of what is signed, before the signatures in version 1 and behind them in the others', () => {
  const signers = [sender, recipient];
  const ofTwo = Uint8Array.of(2, ...Array(128).fill(0), 7, 8, 9);
  assert.equal(messageHashOf(ofTwo, { transactionVersion: 0, signers }), sha256InBase58(7, 8, 9));
  const version1 = Uint8Array.of(129, 7, 8, 9, ...Array(128).fill(0));
  assert.equal(messageHashOf(version1, { transactionVersion: 1, signers }), sha256InBase58(129, 7, 8, 9));
});

/** A transaction with room for one signature, and its message. */
const built = {
  bytes: Uint8Array.of(1, ...Array(64).fill(0), 7, 8, 9),
  token: { name: 'USD Coin', symbol: undefined },
};

test('What a transfer does not have is null, and 64-bit numbers are exact strings', () => {
  const json = summaryJson(plain, built);
  assert.ok(Check(summarySchema, json));
  assert.deepEqual(json, {
    transaction_version: 'legacy',
    message_hash: sha256InBase58(7, 8, 9),
    size: 300,
    size_limit: 1232,
    signers: [sender],
    fee_payer: sender,
    token_program: program,
    token_symbol: null,
    token_name: 'USD Coin',
    decimals: 6,
    sender,
    sender_token_account: program,
    recipient,
    recipient_token_account: sender,
    amount: { base_units: '18446744073709551615', decimal: '18446744073709.551615' },
    transfer_fee: { base_units: '10', decimal: '0.00001' },
    received_amount: { base_units: '18446744073709551605', decimal: '18446744073709.551605' },
    network_fee: '10000',
    priority_fee: '9223372036854775808',
    rent: '2039280',
    tip: null,
    creates_token_account: true,
    thaws_token_account: true,
    splits: [],
    compute_unit_limit: null,
    compute_units_consumed: null,
    blockhash: null,
    last_valid_block_height: null,
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

test('What it has is there: lifetime, nonce, hook, delegates, close authorities, warnings in words', () => {
  const delegate = { address: recipient, amount: 2_000_000n };
  const json = summaryJson(
    {
      ...plain,
      computeUnitLimit: 80_000,
      computeUnitsConsumed: 0,
      blockhash: 'a blockhash',
      lastValidBlockHeight: 150n,
      nonce: { account: program, authority: sender, nonce: 'a nonce' },
      memo: 'hello',
      references: [recipient],
      transferHook: { program, writableAccounts: [recipient] },
      senderTokenAccountControl: { owner: sender, delegate, closeAuthority: undefined, isNative: false },
      recipientTokenAccountControl: { owner: recipient, delegate: undefined, closeAuthority: sender, isNative: false },
      warnings: [{ code: 'freeze_authority', context: { mint: program } }],
    },
    built,
  );
  assert.ok(Check(summarySchema, json));
  assert.deepEqual(
    [json.compute_unit_limit, json.compute_units_consumed, json.blockhash, json.last_valid_block_height, json.memo],
    [80_000, 0, 'a blockhash', '150', 'hello'],
  );
  assert.deepEqual(json.nonce, { account: program, authority: sender, value: 'a nonce' });
  assert.deepEqual(json.references, [recipient]);
  assert.deepEqual(json.transfer_hook, { program, writable_accounts: [recipient] });
  const lent = { address: recipient, amount: { base_units: '2000000', decimal: '2' } };
  assert.deepEqual([json.sender_token_account_delegate, json.sender_token_account_close_authority], [lent, null]);
  assert.deepEqual(
    [json.recipient_token_account_delegate, json.recipient_token_account_close_authority],
    [null, sender],
  );
  const detail = `The issuer can freeze any account of the mint ${program}.`;
  assert.deepEqual(json.warnings, [{ code: 'freeze_authority', level: 'note', detail }]);
});

test('An amount that wallets multiply is also there as they show it', () => {
  const json = summaryJson({ ...plain, amount: 1_500_000n, uiScale: { multiplier: 2, growsWithTime: false } }, built);
  assert.ok(Check(summarySchema, json));
  assert.deepEqual(json.amount, { base_units: '1500000', decimal: '1.5', ui_amount: '3' });
});
