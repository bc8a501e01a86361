import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextIn, emptyAccountRent, foundIn, freshWallet, requestOf, walletAccount } from '../chain-accounts.ts';

test('what a fee payer has left after the fee may be the least that a wallet must hold, whether the mint is one or not', () => {
  const request = requestOf();
  for (const mint of [undefined, null]) {
    const scene = (balance: bigint) => ({ ...(mint === null && { mint }), sender: walletAccount(balance) });
    const others = mint === null ? ['mint_not_found mint'] : [];
    assert.deepEqual(foundIn(request, scene(5_000n + emptyAccountRent)), others);
    assert.deepEqual(foundIn(request, scene(5_000n + emptyAccountRent - 1n)), [...others, 'insufficient_sol from']);
    assert.deepEqual(foundIn(request, scene(5_000n)), others);
  }
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
});

test('a sender without an account has 0 lamports', () => {
  const context = contextIn(requestOf(), { sender: null });
  assert.ok('balance' in context);
  assert.equal(context.balance, 0n);
});
