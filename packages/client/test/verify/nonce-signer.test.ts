import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import type { TransferPlan } from '../../../core/src/plan/transfer-plan.ts';
import { freshWallet, nonceOf, planWith, recipientOf } from '../../../core/test/fixtures.ts';
import { SplwrightClient, VerificationError } from '../../src/index.ts';
import { verifyTransfer } from '../../src/verify/index.ts';

const [authority, stranger] = [freshWallet(), freshWallet()];
const nonce = nonceOf(authority);
const plan = planWith({ nonce });

const request = {
  from_address: plan.sender,
  to_address: recipientOf(plan).recipient,
  token_mint_address: plan.mint,
  amount: '1500000',
  nonce_account: nonce.account,
};

function replyOf(built: TransferPlan, token: string = nonce.nonce) {
  const transaction = Buffer.from(buildTransaction(built, token)).toString('base64');
  const lifetime = { nonce: token, nonce_account: nonce.account };
  return { data: { transaction, transaction_version: 'legacy', lifetime } };
}

const verify = (built: TransferPlan) => verifyTransfer(request, replyOf(built));

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

test('A caller of the client who knows the nonce is given no recent blockhash in its place: two such transactions could both land', async () => {
  const recent = freshWallet();
  const build = (lifetimeToken: string | undefined, named: string) =>
    new SplwrightClient({
      url: 'https://service.example',
      apiKey: 'swk_test',
      fetch: async () => Response.json(replyOf(plan, recent), { headers: { 'solana-blockhash': named } }),
    }).buildTransfer(request, { verify: { lifetimeToken } });
  const isRefused = (error: unknown) => error instanceof VerificationError && error.code === 'wrong_lifetime';
  for (const named of [recent, nonce.nonce]) await assert.rejects(build(nonce.nonce, named), isRefused);
  await build(undefined, recent);
  await build(recent, recent);
});
