import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountState, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import {
  contextIn,
  decidedIn,
  decideIn,
  emptyAccountRent,
  foundIn,
  freshWallet,
  mintAccount,
  recipientOf,
  requestOf,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';

const plainRequest = requestOf();
const unchecked = requestOf({ ...plainRequest, checks: 'none' });
const { from, to, mint } = plainRequest;
const frozen = { state: AccountState.Frozen };

test('without checks a single finding that funding or time can change is left out', () => {
  for (const [code, scene] of [
    ['insufficient_sol from', { sender: null }],
    ['insufficient_token_balance amount', { senderTokenAccount: tokenAccount(mint, from, { amount: 1n }) }],
    ['sender_token_account_not_found from', { senderTokenAccount: null }],
    ['sender_token_account_frozen from', { senderTokenAccount: tokenAccount(mint, from, frozen) }],
    ['recipient_token_account_frozen to', { recipientTokenAccount: tokenAccount(mint, to, frozen) }],
    ['recipient_token_account_not_found to', { recipientTokenAccount: null }],
  ] as const) {
    assert.deepEqual(foundIn(plainRequest, scene), [code]);
    assert.deepEqual(foundIn(unchecked, scene), []);
  }
  assert.deepEqual(foundIn(unchecked), []);
});

test('without checks what is refused for safety is refused all the same, and alone', () => {
  const scene = { sender: null, senderTokenAccount: null, recipientTokenAccount: tokenAccount(mint, freshWallet()) };
  const refused = 'recipient_token_account_not_owned to';
  assert.deepEqual(foundIn(plainRequest, scene), [
    'sender_token_account_not_found from',
    'insufficient_sol from',
    refused,
  ]);
  assert.deepEqual(foundIn(unchecked, scene), [refused]);
  assert.deepEqual(foundIn(unchecked, { mint: null, sender: walletAccount(0n) }), ['mint_not_found mint']);
  const paused = extension('PausableConfig', { authority: null, paused: true });
  const bound = mintAccount({ extensions: [paused, { __kind: 'NonTransferable' }] });
  assert.deepEqual(foundIn(unchecked, { mint: bound }), ['mint_non_transferable mint']);
});

test('what a fee payer has left after the fee may be the least that a wallet must hold, also where there is no mint', () => {
  const found = (balance: bigint) => foundIn(requestOf(), { mint: null, sender: walletAccount(balance) });
  assert.deepEqual(found(5_000n + emptyAccountRent), ['mint_not_found mint']);
  assert.deepEqual(found(5_000n + emptyAccountRent - 1n), ['mint_not_found mint', 'insufficient_sol from']);
  assert.deepEqual(found(5_000n), ['mint_not_found mint']);
});

test('a fee payer that is absent has nothing, and one that is not a wallet is no payer', () => {
  const feePayer = freshWallet();
  const request = requestOf({ feePayer });
  for (const mint of [undefined, null]) {
    const scene = mint === null ? { mint } : {};
    const others = mint === null ? ['mint_not_found mint'] : [];
    assert.deepEqual(foundIn(request, { ...scene, others: [[feePayer, null]] }), [
      ...others,
      'insufficient_sol feePayer',
    ]);
    const account = { ...walletAccount(10n ** 9n), data: Uint8Array.of(1) };
    assert.deepEqual(foundIn(request, { ...scene, others: [[feePayer, account]] }), [
      ...others,
      'fee_payer_not_a_wallet feePayer',
    ]);
  }
  assert.partialDeepStrictEqual(contextIn(request, { others: [[feePayer, null]] }), { balance: 0n });
});

test('a level of priority fees needs the prices of the accounts that are written', () => {
  const { sender, recipient } = tokenAccountsOf(plainRequest, tokenProgram);
  const decision = decideIn({ ...plainRequest, priorityFee: { level: 'low' } });
  assert.deepEqual(decision, { needsPricesFor: [from, sender, recipient] });
});

test('of the rent for the token account the payer pays what is not there already', () => {
  const create = requestOf({ createTokenAccount: 'always' });
  const rentOf = (recipientTokenAccount: Account | null): bigint =>
    recipientOf(decidedIn(create, { recipientTokenAccount }).plan).rent;
  const minimum = emptyAccountRent + 165n * 3480n * 2n;
  assert.equal(rentOf(null), minimum);
  assert.equal(rentOf(walletAccount(1n)), minimum - 1n);
  assert.equal(rentOf(walletAccount(minimum - 1n)), 1n);
  assert.equal(rentOf(walletAccount(minimum)), 0n);
  assert.equal(rentOf(walletAccount(minimum + 1n)), 0n);
  assert.equal(rentOf(tokenAccount(create.mint, create.to)), 0n);
});
