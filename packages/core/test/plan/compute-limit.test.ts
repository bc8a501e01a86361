import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeLimitOfMemos, decideComputeLimit } from '../../src/plan/compute-budget.ts';
import { planSize } from '../../src/plan/plan-message.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress, memoOf, paymentOf, planWith } from '../random-plans.ts';

const costly = memoOf('漢'.repeat(100));
const hookAccounts = Array.from({ length: 3 }, () => role.readonly(freshAddress()));

const limitOf = (parts: Partial<TransferPlan>, paysPriorityFee = false): number | undefined =>
  decideComputeLimit(planWith({ recipientTokenAccountExists: true, ...parts }), paysPriorityFee);

test('The default grant is enough for a transfer, with a memo or a hook or an account to create', () => {
  for (const memo of [undefined, memoOf('m'), memoOf('m'.repeat(900))]) {
    for (const createsRecipientTokenAccount of [true, false]) {
      assert.equal(limitOf({ memo, createsRecipientTokenAccount }), undefined);
    }
  }
  assert.equal(limitOf({ hookAccounts }), undefined);
  assert.equal(limitOf({ hookAccounts, memo: memoOf('m') }), undefined);
});

test('Without a memo there is no limit, however many accounts a hook is handed', () => {
  const many = Array.from({ length: 14 }, () => role.readonly(freshAddress()));
  assert.equal(limitOf({ hookAccounts: many }), undefined);
});

test('A memo that could cost more than the grant gets its cost, that of the rest, and headroom', () => {
  const units = costly.computeUnits;
  assert.equal(limitOf({ memo: costly }), units + 40_000);
  assert.equal(limitOf({ memo: costly, createsRecipientTokenAccount: true }), units + 85_000);
  assert.equal(
    computeLimitOfMemos(memoOf('😀'.repeat(75)).computeUnits, { transfers: 1, creates: 0, memos: 1 }),
    1_400_000,
  );
});

test('It does so from the first unit beyond the grant on, which is larger where an account is created', () => {
  for (const [creates, granted, rest] of [
    [0, 400_000, 40_000],
    [1, 600_000, 85_000],
  ] as const) {
    let count = 1;
    const unitsOf = (): number => memoOf('漢'.repeat(count)).computeUnits + rest;
    while (unitsOf() <= granted) count++;
    assert.equal(
      computeLimitOfMemos(memoOf('漢'.repeat(count)).computeUnits, { transfers: 1, creates, memos: 1 }),
      unitsOf(),
    );
    assert.equal(
      computeLimitOfMemos(memoOf('漢'.repeat(count - 1)).computeUnits, { transfers: 1, creates, memos: 1 }),
      undefined,
    );
  }
});

test('A priority fee and version 1 always bring a limit, close to the measured cost', () => {
  assert.equal(limitOf({}, true), 46_900);
  assert.equal(limitOf({ version: 1 }), 46_900);
  const units = costly.computeUnits;
  assert.equal(limitOf({ memo: costly }, true), 46_900 + units);
  const creating = { createsRecipientTokenAccount: true, recipientTokenAccountBump: 253 };
  assert.equal(limitOf(creating, true), 46_900 + 4_600 + 2 * 1_500);
  assert.equal(limitOf({ ...creating, recipientTokenAccountExists: false }, true), 46_900 + 21_000 + 2 * 1_500);
  assert.equal(limitOf({ hookAccounts }, true), 40_600 + 100_000 + 9_700 + 3 * 8_000);
});

test('Next to a hook, a memo gets all there is where it leaves the hook too little, and no limit otherwise', () => {
  assert.equal(limitOf({ memo: costly, hookAccounts }), 1_400_000);
  // 266,300 units are left for the memo: 100,000 go to the hook itself, 9,700 to the transfer, 24,000 to the accounts.
  let count = 1;
  while (memoOf('漢'.repeat(count)).computeUnits <= 400_000 - 133_700) count++;
  assert.equal(limitOf({ memo: memoOf('漢'.repeat(count - 1)), hookAccounts }), undefined);
  assert.equal(limitOf({ memo: memoOf('漢'.repeat(count)), hookAccounts }), 1_400_000);
});

test('That limit is left out where its bytes are the ones too many, unless the memo itself makes it necessary', () => {
  const fitting = (text: string, size: number): TransferPlan => {
    const plan = planWith({ hookAccounts, memo: memoOf(text), computeUnitLimit: 1_400_000 });
    const spare = size - planSize(plan);
    return { ...plan, memo: memoOf(text + 'a'.repeat(spare)) };
  };
  const optional = `漢漢漢${'a'.repeat(130)}`;
  const full = fitting(optional, 1232);
  assert.equal(planSize(full), 1232);
  assert.equal(decideComputeLimit(full, false), 1_400_000);
  assert.equal(decideComputeLimit(fitting(optional, 1233), false), undefined);
  assert.equal(decideComputeLimit(fitting('漢'.repeat(100), 1233), false), 1_400_000);
  assert.ok(decideComputeLimit(fitting(optional, 1233), true));
});

test('A memo that leaves the grant exactly what the rest takes needs no limit, and one more unit does', () => {
  const costing = (computeUnits: number) => ({ ...memoOf('m'), computeUnits });
  const counts = { transfers: 1, creates: 0, memos: 1 };
  assert.equal(computeLimitOfMemos(360_000, counts), undefined);
  assert.equal(computeLimitOfMemos(360_001, counts), 400_001);
  const leftByHook = 400_000 - 133_700;
  assert.equal(limitOf({ memo: costing(leftByHook), hookAccounts }), undefined);
  assert.equal(limitOf({ memo: costing(leftByHook + 1), hookAccounts }), 1_400_000);
});

test('Splits count among the transfers, and those that create a token account among these', () => {
  const memo = { ...memoOf('m'), computeUnits: 1_000_000 };
  const split = (createsRecipientTokenAccount: boolean) =>
    paymentOf(planWith({}), { recipient: freshAddress(), amount: 1n, createsRecipientTokenAccount });
  assert.equal(limitOf({ memo, splits: [split(false)] }), 1_000_000 + 20_000 + 30_000);
  assert.equal(limitOf({ memo, splits: [split(false), split(true)] }), 1_000_000 + 30_000 + 45_000 + 30_000);
  assert.equal(
    limitOf({ memo, splits: [split(true)], createsRecipientTokenAccount: true }),
    1_000_000 + 20_000 + 90_000 + 30_000,
  );
  // Two transfers are granted 600,000 units, and each of them may take 133,700 with its hook.
  const hooked = { splits: [{ ...split(false), hookAccounts }], hookAccounts };
  const costing = (computeUnits: number) => ({ ...memo, computeUnits });
  assert.equal(limitOf({ ...hooked, memo: costing(600_000 - 2 * 133_700) }), undefined);
  assert.equal(limitOf({ ...hooked, memo: costing(600_001 - 2 * 133_700) }), 1_400_000);
});

test('The memos of splits cost what that of the main payment does, with it or without it', () => {
  const memo = { ...memoOf('m'), computeUnits: 600_000 };
  const split = paymentOf(planWith({}), { recipient: freshAddress(), amount: 1n });
  const rest = 2 * 10_000 + 30_000;
  assert.equal(limitOf({ splits: [{ ...split, memo }] }), 600_000 + rest);
  assert.equal(limitOf({ memo, splits: [{ ...split, memo }] }), 1_200_000 + rest);
  // Two transfers and their memos are granted 800,000 units.
  const costing = (computeUnits: number) => ({ ...memo, computeUnits });
  const both = (ofMain: number, ofSplit: number) =>
    limitOf({ memo: costing(ofMain), splits: [{ ...split, memo: costing(ofSplit) }] });
  assert.equal(both(400_000, 400_000 - rest), undefined);
  assert.equal(both(400_000, 400_001 - rest), 800_001);
});
