import assert from 'node:assert/strict';
import { test } from 'node:test';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  type CostedPayment,
  type CostedPlan,
  computeUnitsOfCreation,
  computeUnitsOfPayment,
  estimateComputeUnits,
  estimateHookComputeUnits,
  grantedComputeUnits,
  maxComputeUnits,
  maxComputeUnitsWithoutMemo,
  measuredComputeUnits,
} from '../../src/plan/compute-budget.ts';
import { loadedAccountsDataSizeLimit, type TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress, memoOf } from '../random-plans.ts';

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

const bare: CostedPayment = {
  createsRecipientTokenAccount: false,
  recipientTokenAccountBump: 255,
  recipientTokenAccountExists: true,
  memo: undefined,
  hookAccounts: [],
};
const bareUnits = 40_000 + 600 + 6_300;

/** A plan of the classic token program without a memo and without splits, but for these parts. */
function planOf(parts: Partial<CostedPlan>): CostedPlan {
  return { ...bare, tokenProgram, memo: undefined, splits: [], ...parts };
}

test('Every split costs what it would cost as the only payment', () => {
  const created = { ...bare, createsRecipientTokenAccount: true, recipientTokenAccountExists: false };
  const units = (...splits: CostedPayment[]): number => estimateComputeUnits(planOf({ splits }));
  assert.equal(units(), bareUnits);
  assert.equal(units(bare), bareUnits + 6_300);
  assert.equal(units(bare, created), bareUnits + 2 * 6_300 + 21_000);
  assert.equal(estimateComputeUnits(planOf({ tokenProgram: token2022Program, splits: [bare] })), 40_600 + 2 * 4_600);
});

test('The memo of a split costs as much as that of the main payment', () => {
  const memo = { ...memoOf('m'), computeUnits: 777 };
  assert.equal(estimateComputeUnits(planOf({ memo })), bareUnits + 777);
  assert.equal(estimateComputeUnits(planOf({ memo, splits: [{ ...bare, memo }] })), bareUnits + 6_300 + 2 * 777);
  assert.equal(computeUnitsOfPayment({ ...bare, memo }, tokenProgram), 6_300 + 777);
  assert.equal(computeUnitsOfPayment(bare, token2022Program), 4_600);
});

test('The creation of a token account costs the same by itself as in a payment', () => {
  for (const [program, fresh] of [
    [tokenProgram, 21_000],
    [token2022Program, 19_500],
  ] as const) {
    const missing = { recipientTokenAccountBump: 255, recipientTokenAccountExists: false };
    assert.equal(computeUnitsOfCreation(missing, program), fresh);
    assert.equal(computeUnitsOfCreation({ ...missing, recipientTokenAccountBump: 250 }, program), fresh + 5 * 1_500);
    assert.equal(computeUnitsOfCreation({ ...missing, recipientTokenAccountExists: true }, program), 4_600);
  }
});

test('A hook brings headroom of its own for each transfer, and the cost of each of its accounts', () => {
  const hookAccounts = [role.readonly(freshAddress()), role.readonly(freshAddress())];
  const hooked = { ...bare, hookAccounts };
  const ofTransfer = 9_700 + 2 * 8_000;
  assert.equal(estimateComputeUnits(planOf(hooked)), 40_600 + 100_000 + ofTransfer);
  assert.equal(estimateComputeUnits(planOf({ ...hooked, splits: [hooked] })), 40_600 + 2 * (100_000 + ofTransfer));
  assert.equal(measuredComputeUnits(planOf({ ...hooked, splits: [hooked] })), 600 + 2 * ofTransfer);
  const single = planOf({ hookAccounts: hookAccounts.slice(1) });
  assert.equal(estimateComputeUnits(single), 40_600 + 100_000 + 9_700 + 8_000);
  assert.equal(estimateHookComputeUnits(1, 2), 100_000 + ofTransfer);
  assert.equal(estimateHookComputeUnits(3, 0), 3 * 109_700);
});

test('What was measured is not bounded, but what is asked for is', () => {
  const memo = { ...memoOf('m'), computeUnits: maxComputeUnits };
  assert.equal(measuredComputeUnits(planOf({ memo })), 1_400_000 + 600 + 6_300);
  assert.equal(estimateComputeUnits(planOf({ memo })), 1_400_000);
  const upToIt = { ...memo, computeUnits: 1_400_000 - bareUnits };
  assert.equal(estimateComputeUnits(planOf({ memo: upToIt })), 1_400_000);
  assert.equal(estimateComputeUnits(planOf({ memo: { ...memo, computeUnits: upToIt.computeUnits - 1 } })), 1_399_999);
});

test('Before the chain is read, the dearest transfers and accounts count; the runtime grants 200,000 an instruction', () => {
  for (const [transfers, creates, most, granted] of [
    [1, 0, 10_000, 400_000],
    [1, 1, 55_000, 600_000],
    [3, 2, 120_000, 1_200_000],
  ] as const) {
    assert.equal(maxComputeUnitsWithoutMemo({ transfers, creates, memos: 1 }), most);
    assert.equal(grantedComputeUnits({ transfers, creates, memos: 1 }), granted);
  }
});

test('A message of version 1 may load 64 MiB, as every other does', () => {
  assert.equal(loadedAccountsDataSizeLimit, 67_108_864);
});
