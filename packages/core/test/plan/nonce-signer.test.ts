import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTransferIntent } from '../../src/outcome/transfer-intent.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { signersOf } from '../../src/plan/plan-message.ts';
import { feeOf } from '../../src/plan/transaction-fee.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { freshWallet, nonceOf, planWith, solPlanWith } from '../fixtures.ts';

const [sender, payer, authority] = [freshWallet(), freshWallet(), freshWallet()];
const nonce = nonceOf(authority);

const expected = [
  { what: 'tokens', planOf: planWith, parts: {}, signers: [sender, authority] },
  {
    what: 'tokens, which another pays for',
    planOf: planWith,
    parts: { feePayer: payer },
    signers: [payer, authority, sender],
  },
  { what: 'tokens, which it pays for', planOf: planWith, parts: { feePayer: authority }, signers: [authority, sender] },
  { what: 'SOL', planOf: solPlanWith, parts: {}, signers: [sender, authority] },
  {
    what: 'SOL, which another pays for',
    planOf: solPlanWith,
    parts: { feePayer: payer },
    signers: [payer, sender, authority],
  },
  { what: 'SOL that it gets', planOf: solPlanWith, parts: { recipient: authority }, signers: [sender, authority] },
];

for (const { what, planOf, parts, signers } of expected) {
  test(`The authority of a nonce signs for a transfer of ${what}`, () => {
    for (const version of ['legacy', 0, 1] as const) {
      const limit = version === 1 ? { computeUnitLimit: 50_000 } : {};
      const plan = planOf({ sender, nonce, version, ...limit, ...parts });
      const bytes = buildTransaction(plan, nonce.nonce);
      assert.deepEqual([signersOf(plan), decodeTransaction(bytes).signers], [signers, signers]);
      assert.equal(feeOf(plan).networkFee, 5_000n * BigInt(signers.length));
      const read = readTransferIntent(bytes);
      assert.ok('intent' in read);
      assert.deepEqual([read.intent.authority, read.intent.mint], [sender, plan.mint]);
      assert.equal(read.intent.payments[0]?.amount, 1_500_000n);
    }
  });
}
