import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import type { TransferPlan } from '../../../core/src/plan/transfer-plan.ts';
import { freshWallet, nonceOf, planWith, recipientOf } from '../../../core/test/fixtures.ts';
import { VerificationError } from '../../src/index.ts';
import { verifyTransfer } from '../../src/verify/index.ts';

const [authority, stranger] = [freshWallet(), freshWallet()];
const nonce = nonceOf(authority);
const plan = planWith({ nonce });

function verify(built: TransferPlan) {
  const request = {
    from_address: plan.sender,
    to_address: recipientOf(plan).recipient,
    token_mint_address: plan.mint,
    amount: '1500000',
    nonce_account: nonce.account,
  };
  const transaction = Buffer.from(buildTransaction(built, nonce.nonce)).toString('base64');
  const lifetime = { nonce: nonce.nonce, nonce_account: nonce.account };
  return verifyTransfer(request, { data: { transaction, transaction_version: 'legacy', lifetime } });
}

test('The authority of a nonce is named as a signer, and in the sentence', async () => {
  const verified = await verify(plan);
  assert.deepEqual(verified.signers, [plan.sender, authority]);
  assert.match(
    verified.sentence,
    new RegExp(`valid with the nonce of ${nonce.account}, which ${authority} signs for$`),
  );
});

test('Nobody else signs: neither another fee payer nor one who signs for nothing', async () => {
  const isRefused = (error: unknown) => error instanceof VerificationError && error.code === 'wrong_signers';
  await assert.rejects(verify({ ...plan, feePayer: stranger }), isRefused);
  await assert.rejects(verify({ ...plan, feePayer: authority }), isRefused);
});
