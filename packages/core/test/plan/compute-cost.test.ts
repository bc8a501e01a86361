import assert from 'node:assert/strict';
import { test } from 'node:test';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { estimateComputeUnits } from '../../src/plan/compute-cost.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { memoOf } from '../random-plans.ts';

test('A memo adds what it can cost, and nothing is asked for that no transaction may spend', () => {
  const estimate = (text: string): number =>
    estimateComputeUnits({
      tokenProgram,
      createsRecipientTokenAccount: false,
      memo: memoOf(text),
      hookAccounts: [],
      recipientTokenAccountBump: 255,
      recipientTokenAccountExists: true,
      splits: [],
    });
  assert.equal(estimate('m'), 40_000 + 600 + 6_300 + memoOf('m').computeUnits);
  assert.equal(estimate('😀'.repeat(80)), 1_400_000);
});

test('The estimate grows with every bump that creating the account tries, and with what is created', () => {
  const units = (parts: {
    bump?: number;
    exists?: boolean;
    program?: TransferPlan['tokenProgram'];
    creates?: boolean;
  }) =>
    estimateComputeUnits({
      tokenProgram: parts.program ?? tokenProgram,
      createsRecipientTokenAccount: parts.creates ?? true,
      memo: undefined,
      hookAccounts: [],
      recipientTokenAccountBump: parts.bump ?? 255,
      recipientTokenAccountExists: parts.exists ?? false,
      splits: [],
    });
  const plain = units({ creates: false });
  assert.equal(plain, 40_000 + 600 + 6_300);
  assert.equal(units({ creates: false, bump: 200 }), plain);
  assert.equal(units({}), plain + 21_000);
  assert.equal(units({ exists: true }), plain + 4_600);
  assert.equal(units({ bump: 254 }), units({}) + 1_500);
  assert.equal(units({ bump: 250, exists: true }), units({ exists: true }) + 5 * 1_500);
  assert.equal(units({ program: token2022Program }), 40_000 + 600 + 4_600 + 19_500);
});
