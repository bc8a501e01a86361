import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountState, extension } from '@solana-program/token-2022';
import { foundIn, freshWallet, mintAccount, requestOf, tokenAccount, walletAccount } from '../chain-accounts.ts';

const request = requestOf();
const unchecked = requestOf({ ...request, checks: 'none' });
const { from, to, mint } = request;
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
    assert.deepEqual(foundIn(request, scene), [code]);
    assert.deepEqual(foundIn(unchecked, scene), []);
  }
  assert.deepEqual(foundIn(unchecked), []);
});

test('without checks what is refused for safety is refused all the same, and alone', () => {
  const scene = { sender: null, senderTokenAccount: null, recipientTokenAccount: tokenAccount(mint, freshWallet()) };
  const refused = 'recipient_token_account_not_owned to';
  assert.deepEqual(foundIn(request, scene), ['sender_token_account_not_found from', 'insufficient_sol from', refused]);
  assert.deepEqual(foundIn(unchecked, scene), [refused]);
  assert.deepEqual(foundIn(unchecked, { mint: null, sender: walletAccount(0n) }), ['mint_not_found mint']);
  const paused = extension('PausableConfig', { authority: null, paused: true });
  const bound = mintAccount({ extensions: [paused, { __kind: 'NonTransferable' }] });
  assert.deepEqual(foundIn(unchecked, { mint: bound }), ['mint_non_transferable mint']);
});
