import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { checkPriorityFee } from '../../src/decide/check-plan.ts';
import {
  type CostedPayment,
  type CostedPlan,
  computeLimitOfMemos,
  computeUnitsOfCreation,
  computeUnitsOfPayment,
  decideComputeLimit,
  estimateComputeUnits,
  estimateHookComputeUnits,
  grantedComputeUnits,
  highestPrice,
  maxComputeUnits,
  maxComputeUnitsWithoutMemo,
  measuredComputeUnits,
  priceOfLevel,
  priorityFeeOf,
} from '../../src/plan/compute-budget.ts';
import { planSize } from '../../src/plan/plan-message.ts';
import { leastCostsOf } from '../../src/plan/plan-transfer.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import {
  changed,
  freshAddress,
  freshWallet,
  memoOf,
  type PlanParts,
  paymentOf,
  planWith,
  requestOf,
} from '../fixtures.ts';
import { thawOf } from '../thaw.ts';

// For three guards of a wallet, and a token program that gets dearer.
const headroom = 3 * 5_660 + 3_000;
const bareUnits = headroom + 600 + 6_300;
const costly = memoOf('漢'.repeat(100));
// What the Token ACL program and the token program take to thaw an account.
const thawUnits = 20_000;
const hookAccounts = Array.from({ length: 3 }, () => role.readonly(freshAddress()));

const limitOf = (parts: PlanParts, paysPriorityFee = false): number | undefined =>
  decideComputeLimit(planWith({ recipientTokenAccountExists: true, ...parts }), paysPriorityFee);

test('The default grant is enough for a transfer, with a memo or a hook or an account to create', () => {
  for (const memo of [undefined, memoOf('m'), memoOf('m'.repeat(900))]) {
    for (const createsRecipientTokenAccount of [true, false]) {
      assert.equal(limitOf({ memo, createsRecipientTokenAccount }), undefined);
    }
  }
  assert.equal(limitOf({ hookAccounts, memo: memoOf('m') }), undefined);
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

test('A priority fee and version 1 always bring a limit, close to the measured cost', () => {
  assert.equal(limitOf({}, true), bareUnits);
  assert.equal(limitOf({ version: 1 }), bareUnits);
  const units = costly.computeUnits;
  assert.equal(limitOf({ memo: costly }, true), bareUnits + units);
});

test('That limit is left out where its bytes are the ones too many, unless the memo itself makes it necessary', () => {
  const fitting = (text: string, size: number): TransferPlan => {
    const plan = planWith({ hookAccounts, memo: memoOf(text), computeUnitLimit: 1_400_000 });
    const spare = size - planSize(plan);
    return changed(plan, { memo: memoOf(text + 'a'.repeat(spare)) });
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
  for (const [creates, most, limit] of [
    [0, 360_000, 400_001],
    [1, 515_000, 600_001],
  ] as const) {
    const counts = { transfers: 1, creates, memos: 1 };
    assert.equal(computeLimitOfMemos(most, counts), undefined);
    assert.equal(computeLimitOfMemos(most + 1, counts), limit);
  }
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

const bare: CostedPayment = {
  createsRecipientTokenAccount: false,
  recipientTokenAccountBump: 255,
  recipientTokenAccountExists: true,
  memo: undefined,
  hookAccounts: [],
};

const classicMint = { tokenProgram, extensionCount: 0 };
const token2022Mint = { tokenProgram: token2022Program, extensionCount: 0 };

/** A plan of the classic token program with one payment without a memo, but for these parts. */
function planOf({ splits = [], ...parts }: Partial<CostedPayment> & { splits?: readonly CostedPayment[] }): CostedPlan {
  return { ...classicMint, payments: [...splits, { ...bare, ...parts }] };
}

test('Every split costs what it would cost as the only payment', () => {
  const created = { ...bare, createsRecipientTokenAccount: true, recipientTokenAccountExists: false };
  const units = (...splits: CostedPayment[]): number => estimateComputeUnits(planOf({ splits }));
  assert.equal(units(), bareUnits);
  assert.equal(units(bare), bareUnits + 6_300);
  assert.equal(units(bare, created), bareUnits + 2 * 6_300 + 23_500);
  assert.equal(
    estimateComputeUnits({ ...planOf({ splits: [bare] }), tokenProgram: token2022Program }),
    headroom + 600 + 2 * 4_600,
  );
});

test('The memo of a split costs as much as that of the main payment', () => {
  const memo = { ...memoOf('m'), computeUnits: 777 };
  assert.equal(estimateComputeUnits(planOf({ memo })), bareUnits + 777);
  assert.equal(estimateComputeUnits(planOf({ memo, splits: [{ ...bare, memo }] })), bareUnits + 6_300 + 2 * 777);
  assert.equal(computeUnitsOfPayment({ ...bare, memo }, classicMint), 6_300 + 777);
  assert.equal(computeUnitsOfPayment(bare, token2022Mint), 4_600);
});

test('The creation of a token account costs by its program, by every bump that is tried, and less where there is one', () => {
  const created = { createsRecipientTokenAccount: true, recipientTokenAccountExists: false };
  assert.equal(estimateComputeUnits(planOf(created)), bareUnits + 23_500);
  assert.equal(estimateComputeUnits(planOf({ recipientTokenAccountBump: 200 })), bareUnits);
  for (const [mint, fresh] of [
    [classicMint, 23_500],
    [token2022Mint, 22_000],
  ] as const) {
    const missing = { recipientTokenAccountBump: 255, recipientTokenAccountExists: false };
    assert.equal(computeUnitsOfCreation(missing, mint), fresh);
    assert.equal(computeUnitsOfCreation({ ...missing, recipientTokenAccountBump: 250 }, mint), fresh + 5 * 1_500);
    assert.equal(computeUnitsOfCreation({ ...missing, recipientTokenAccountExists: true }, mint), 4_600);
  }
});

test('Each extension of a mint costs in every transfer, and in every creation', () => {
  const mint = { ...token2022Mint, extensionCount: 3 };
  const missing = { ...bare, createsRecipientTokenAccount: true, recipientTokenAccountExists: false };
  assert.equal(computeUnitsOfPayment(bare, mint), 4_600 + 3 * 260);
  assert.equal(computeUnitsOfPayment({ ...bare, createsRecipientTokenAccount: true }, mint), 2 * 4_600 + 3 * 260);
  assert.equal(computeUnitsOfPayment(missing, mint), 4_600 + 22_000 + 6 * 260);
  assert.equal(computeUnitsOfPayment({ ...bare, hookAccounts }, mint), 9_700 + 3 * 8_000 + 3 * 260);
});

test('A hook brings headroom of its own for each transfer, and the cost of each of its accounts', () => {
  const hookAccounts = [role.readonly(freshAddress()), role.readonly(freshAddress())];
  const hooked = { ...bare, hookAccounts };
  const ofTransfer = 9_700 + 2 * 8_000;
  assert.equal(estimateComputeUnits(planOf(hooked)), headroom + 600 + 100_000 + ofTransfer);
  assert.equal(
    estimateComputeUnits(planOf({ ...hooked, splits: [hooked] })),
    headroom + 600 + 2 * (100_000 + ofTransfer),
  );
  assert.equal(measuredComputeUnits(planOf({ ...hooked, splits: [hooked] })), 600 + 2 * ofTransfer);
  const single = planOf({ hookAccounts: hookAccounts.slice(1) });
  assert.equal(estimateComputeUnits(single), headroom + 600 + 100_000 + 9_700 + 8_000);
  assert.equal(estimateHookComputeUnits(1, 2), 100_000 + ofTransfer);
  assert.equal(estimateHookComputeUnits(3, 6), 3 * (100_000 + ofTransfer));
});

test('A thaw brings headroom for the gate program, its own cost, and that of each address that is tried and of each account that is read', () => {
  const thawing = { ...bare, thaw: thawOf(2, 3) };
  const ofThaw = thawUnits + 3 * 1_500 + 2 * 8_000;
  assert.equal(estimateComputeUnits(planOf(thawing)), bareUnits + 100_000 + ofThaw);
  assert.equal(estimateComputeUnits(planOf({ splits: [thawing] })), bareUnits + 6_300 + 100_000 + ofThaw);
  assert.equal(measuredComputeUnits(planOf(thawing)), 600 + 6_300 + ofThaw);
});

test('Next to a thaw a memo gets a limit only where it leaves the gate program too little of the grant', () => {
  const thaw = thawOf(4);
  assert.equal(limitOf({ thaw }), undefined);
  assert.equal(limitOf({ thaw, memo: memoOf('m') }), undefined);
  const granted = 600_000;
  const needed = 100_000 + thawUnits + 4 * 8_000 + 109_700;
  const memoWith = (computeUnits: number) => ({ ...memoOf('m'), computeUnits });
  assert.equal(limitOf({ thaw, memo: memoWith(granted - needed) }), undefined);
  assert.equal(limitOf({ thaw, memo: memoWith(granted - needed + 1) }), maxComputeUnits);
});

test('What was measured is not bounded, but what is asked for is', () => {
  const memo = { ...memoOf('m'), computeUnits: maxComputeUnits };
  assert.equal(measuredComputeUnits(planOf({ memo })), 1_400_000 + 600 + 6_300);
  assert.equal(estimateComputeUnits(planOf({ memo })), 1_400_000);
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

const anyLimit = fc.integer({ min: 1, max: 1_400_000 });

test('A priority fee is price times limit in lamports, rounded up', () => {
  const table: readonly [price: bigint, limit: number, lamports: bigint][] = [
    [0n, 1_400_000, 0n],
    [1n, 1, 1n],
    [1n, 1_000_000, 1n],
    [1n, 1_000_001, 2n],
    [25_000n, 66_400, 1660n],
    [25_000n, 66_401, 1661n],
    [1_000_000n, 46_900, 46_900n],
    [2n ** 64n - 1n, 1_400_000, 25_825_441_703_193_372_261n],
  ];
  for (const [price, limit, lamports] of table) assert.equal(priorityFeeOf(price, limit), lamports);
});

test('The highest price is within the maximum, and the next one is not', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999n }), anyLimit, (maximum, limit) => {
      const price = highestPrice(maximum, limit);
      assert.ok(priorityFeeOf(price, limit) <= maximum);
      assert.ok(priorityFeeOf(price + 1n, limit) > maximum);
    }),
  );
});

test('The price of a level', async (t) => {
  const percentiles = [
    ['low', 25n],
    ['medium', 50n],
    ['high', 90n],
  ] as const;

  await t.test('of a hundred prices has just its share of them below it', () => {
    const prices = Array.from({ length: 100 }, (_, index) => BigInt((index * 37) % 100));
    const before = [...prices];
    for (const [level, price] of percentiles) assert.equal(priceOfLevel(level, prices), price);
    assert.deepEqual(prices, before);
  });

  await t.test('is 0 when no price was paid, and the one price when there was only one', () => {
    for (const [level] of percentiles) {
      assert.equal(priceOfLevel(level, []), 0n);
      assert.equal(priceOfLevel(level, [0n, 0n, 0n]), 0n);
      assert.equal(priceOfLevel(level, [77n]), 77n);
    }
  });

  await t.test('compares past 2^53 exactly', () => {
    const near = 2n ** 60n;
    assert.equal(priceOfLevel('medium', [near + 2n, near, near + 1n]), near + 1n);
  });
});

test('A priority fee is refused only above the maximum', () => {
  assert.equal(checkPriorityFee(1_000_000n, 1_000_000n), undefined);
  for (const isLeast of [undefined, true]) {
    assert.deepEqual(checkPriorityFee(1_000_001n, 1_000_000n, isLeast), {
      code: 'priority_fee_too_high',
      field: 'priorityFee',
      context: { priorityFee: 1_000_001n, isLeast: isLeast ?? false, max: 1_000_000n },
    });
  }
});

test('Whatever the mint is, a priority fee is no less than that of the cheapest transfer of its kind', () => {
  // One lamport for each compute unit.
  const priorityFee = { microLamportsPerComputeUnit: 1_000_000n };
  const plain = BigInt(headroom) + 600n + 4_600n;
  const memo = memoOf('hello');
  const split = { to: freshWallet(), amount: 1n };
  for (const [parts, least] of [
    [{}, plain],
    [{ createTokenAccount: 'if_missing' }, plain],
    [{ createTokenAccount: 'always' }, plain + 4_600n],
    [{ memo }, plain + BigInt(memo.computeUnits)],
    [{ splits: [split, split] }, plain + 2n * 4_600n],
    [{ splits: [split, split], createTokenAccount: 'always' }, plain + 3n * 4_600n],
  ] as const) {
    assert.equal(leastCostsOf(requestOf({ priorityFee, ...parts })).priorityFee, least);
  }
});

test('The least of a level is nothing, as of no priority fee', () => {
  assert.equal(leastCostsOf(requestOf()).priorityFee, 0n);
  assert.equal(leastCostsOf(requestOf({ priorityFee: { level: 'high' } })).priorityFee, 0n);
});
