import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import { token2022Program } from '../../src/addresses/programs.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import { contextIn, foundIn, mintAccount, requestOf, tokenAccount } from '../chain-accounts.ts';

const request = requestOf();
const balance = new Uint8Array(64).fill(1);

/** A scene whose recipient takes transfers in the open, or confidential ones alone. */
function sceneWith(allowNonConfidentialCredits: boolean) {
  const confidential = extension('ConfidentialTransferAccount', {
    approved: true,
    elgamalPubkey: address(request.to),
    pendingBalanceLow: balance,
    pendingBalanceHigh: balance,
    availableBalance: balance,
    decryptableAvailableBalance: new Uint8Array(36).fill(1),
    allowConfidentialCredits: true,
    allowNonConfidentialCredits,
    pendingBalanceCreditCounter: 0n,
    maximumPendingBalanceCreditCounter: 1n,
    expectedPendingBalanceCreditCounter: 1n,
    actualPendingBalanceCreditCounter: 1n,
  });
  const recipientTokenAccount = tokenAccount(request.mint, request.to, { extensions: [confidential] });
  return { mint: mintAccount({}, token2022Program), recipientTokenAccount };
}

test('a recipient that takes confidential transfers only is not paid in the open', () => {
  assert.deepEqual(foundIn(request, sceneWith(true)), []);
  assert.deepEqual(foundIn(request, sceneWith(false)), ['recipient_refuses_public_credits to']);
  assert.deepEqual(contextIn(request, sceneWith(false)), {
    wallet: request.to,
    mint: request.mint,
    tokenAccount: deriveTokenAccounts(request, token2022Program).recipient,
  });
});
