import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { warnOfComputeLimit } from '../../src/decide/transfer-warnings.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions } from '../../src/plan/plan-message.ts';
import { leastCostsOf } from '../../src/plan/plan-transfer.ts';
import { assertBytesMatchPlan, ReadBackError } from '../../src/plan/read-back.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import {
  changed,
  decideIn,
  freshAddress,
  freshWallet,
  memoOf,
  mintAccount,
  nonceOf,
  type PlanParts,
  paymentOf,
  requestOf,
  tokenAccount,
} from '../fixtures.ts';

const [sender, facilitator, reference] = [freshWallet(), freshWallet(), freshAddress()];
const memo = memoOf('6b1f0c9ee3f24c3c9a7d3f0e3c1b2a49');
const request = requestOf({ layout: 'x402', from: sender, feePayer: facilitator, memo, references: [reference] });

function planOf(parts: Parameters<typeof requestOf>[0] = {}, program = tokenProgram): TransferPlan {
  const asked = { ...request, ...parts };
  const decision = decideIn(asked, {
    others: [[facilitator, { owner: systemProgram, lamports: 10n ** 9n, data: new Uint8Array(), executable: false }]],
    mint: mintAccount({}, program),
    senderTokenAccount: tokenAccount(asked.mint, asked.from, {}, program),
    recipientTokenAccount: tokenAccount(asked.mint, asked.to, {}, program),
  });
  assert.ok('plan' in decision);
  return decision.plan;
}

test('Its limit is without the units for guards that wallets insert, from what a price costs at least on', () => {
  const plan = planOf();
  assert.equal(plan.computeUnitLimit, 600 + 6_300 + 3_000 + memo.computeUnits);
  const priced = {
    ...request,
    createTokenAccount: 'never',
    priorityFee: { microLamportsPerComputeUnit: 1_000_000n },
  } as const;
  const least = leastCostsOf(priced).priorityFee;
  assert.equal(least, BigInt(plan.computeUnitLimit - 6_300 + 4_600));
  assert.equal(leastCostsOf({ ...priced, layout: 'default' }).priorityFee, least + 3n * 5_660n);
});

test('A limit of 100,000 and more is warned of, in this layout only', () => {
  const limited = (computeUnitLimit: number, layout: TransferPlan['layout'] = 'x402') =>
    warnOfComputeLimit(changed(planOf(), { layout, computeUnitLimit }));
  assert.deepEqual(limited(99_999), []);
  assert.deepEqual(limited(100_000), [
    { code: 'facilitator_compute_limit', context: { computeUnitLimit: 100_000, refusedFrom: 100_000 } },
  ]);
  assert.deepEqual(limited(1_400_000, 'default'), []);
});

describe('What is read back is refused', () => {
  const plan = planOf();
  const blockhash = freshAddress();
  const instructions = planInstructions(plan);
  const [limit, price, transfer, text] = instructions;
  assert.ok(limit && price && transfer && text);
  const orders: Readonly<Record<string, readonly Instruction[]>> = {
    'with the memo before the transfer': [limit, price, text, transfer],
    'with the price before the limit': [price, limit, transfer, text],
    'without the price': [limit, transfer, text],
    'without the limit': [price, transfer, text],
    'without the memo': [limit, price, transfer],
    'with a second memo': [...instructions, text],
  };
  const encode = (order: readonly Instruction[]): Uint8Array =>
    encodeTransaction({
      version: plan.version,
      feePayer: plan.feePayer,
      instructions: order,
      lifetimeToken: blockhash,
      config: undefined,
    });
  for (const [name, order] of Object.entries(orders)) {
    test(name, () => {
      assertBytesMatchPlan(encode(instructions), plan, blockhash);
      assert.throws(() => assertBytesMatchPlan(encode(order), plan, blockhash), ReadBackError);
    });
  }

  const others: Readonly<Record<string, PlanParts>> = {
    'when its plan has no limit': { computeUnitLimit: undefined },
    'when its plan advances a nonce': { nonce: { ...nonceOf(sender), nonce: blockhash } },
    'when its plan has a split': { splits: [paymentOf(plan, { recipient: freshWallet(), amount: 1n })] },
    'when its plan creates a token account': { createsRecipientTokenAccount: true },
  };
  for (const [name, parts] of Object.entries(others)) {
    test(name, () => assert.throws(() => buildTransaction(changed(plan, parts), blockhash), ReadBackError));
  }
});
