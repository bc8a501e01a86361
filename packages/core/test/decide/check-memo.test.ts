import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkMemo, memoRoom, minMemoRoom } from '../../src/decide/check-memo.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { computeLimitOfMemos } from '../../src/plan/compute-budget.ts';
import type { Memo } from '../../src/request/memo.ts';
import { transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { freshAddress, memoOf, planWith, requestOf } from '../fixtures.ts';

const packetSize = transactionSizeLimit('legacy');
const plainLimit = 916;
const limitWithComputeBudget = 876;

const request = requestOf();

function refusalOf(text: string): Finding {
  const finding = checkMemo(memoOf(text), request);
  assert.ok(finding, `${text.slice(0, 20)}… is let through`);
  return finding;
}

function computeUnitLimitOf(text: string): number | undefined {
  assert.equal(checkMemo(memoOf(text), request), undefined, `${text.slice(0, 20)}… is refused`);
  return computeLimitOfMemos(memoOf(text).computeUnits, { transfers: 1, creates: 0, memos: 1 });
}

function sizeWith(text: string): number {
  const computeUnitLimit = computeUnitLimitOf(text);
  return buildTransaction(planWith({ memo: memoOf(text), computeUnitLimit }), freshAddress()).length;
}

describe('a memo that costs little', () => {
  test('of 916 bytes of ASCII fills the packet to its last byte, without a compute limit', () => {
    const text = 'x'.repeat(plainLimit);
    assert.equal(computeUnitLimitOf(text), undefined);
    assert.equal(sizeWith(text), packetSize);
  });

  test('of 917 bytes is refused with the limit and the excess', () => {
    assert.deepEqual(refusalOf('x'.repeat(plainLimit + 1)), {
      code: 'memo_too_long',
      field: 'memo',
      context: { byteLength: 917, maxByteLength: 916 },
    });
  });

  test('is measured in bytes, not in characters', () => {
    assert.equal(sizeWith('ā'.repeat(plainLimit / 2)), packetSize);
    assert.deepEqual(refusalOf(`${'ā'.repeat(plainLimit / 2)}x`).context, { byteLength: 917, maxByteLength: 916 });
    assert.deepEqual(refusalOf('ā'.repeat(plainLimit / 2 + 1)).context, { byteLength: 918, maxByteLength: 916 });
  });
});

describe('a memo that costs more than the default grant', () => {
  test('has 40 bytes less: 876, which fill the packet to its last byte', () => {
    assert.equal(sizeWith('\u0001'.repeat(limitWithComputeBudget)), packetSize);
    assert.deepEqual(refusalOf('\u0001'.repeat(limitWithComputeBudget + 1)).context, {
      byteLength: 877,
      maxByteLength: 876,
    });
  });

  test('is too long before it is too costly', () => {
    const finding = refusalOf('漢'.repeat(293));
    assert.equal(finding.code, 'memo_too_long');
    assert.deepEqual(finding.context, { byteLength: 879, maxByteLength: 876 });
  });

  test('has those bytes less from the first unit past the default grant of its two instructions', () => {
    const costing = (computeUnits: number): Memo => ({ ...memoOf('x'.repeat(900)), computeUnits });
    assert.equal(checkMemo(costing(360_000), request), undefined);
    assert.deepEqual(checkMemo(costing(360_001), request)?.context, { byteLength: 900, maxByteLength: 876 });
  });
});

describe('a memo that is too long in any case', () => {
  test('is measured by its start: that one may need a compute limit, or none', () => {
    assert.deepEqual(refusalOf('漢'.repeat(320)).context, { byteLength: 960, maxByteLength: 876 });
    const costlyEnd = 'x'.repeat(plainLimit) + '漢'.repeat(200);
    assert.deepEqual(refusalOf(costlyEnd).context, { byteLength: 1516, maxByteLength: 916 });
  });

  test('is measured by all of that start, from its first character on', () => {
    const startOf = (count: number): string => '漢'.repeat(count) + 'x'.repeat(plainLimit - 3 * count);
    let count = 1;
    while (memoOf(startOf(count)).computeUnits + 40_000 <= 400_000) count++;
    assert.deepEqual(refusalOf(`${startOf(count)}x`).context, { byteLength: 917, maxByteLength: 876 });
    assert.deepEqual(refusalOf(`${startOf(count - 1)}x`).context, { byteLength: 917, maxByteLength: 916 });
  });

  test('has no room at all, and not less, where the rest fills the packet', () => {
    const splits = Array.from({ length: 5 }, () => ({ to: freshAddress(), amount: 1n }));
    const references = Array.from({ length: 10 }, freshAddress);
    const full = requestOf({
      createTokenAccount: 'always',
      splits,
      references,
      feePayer: freshAddress(),
      nonceAccount: freshAddress(),
      priorityFee: { level: 'low' },
    });
    assert.ok(memoRoom(full, true) < 0);
    assert.deepEqual(checkMemo(memoOf('m'), full)?.context, { byteLength: 1, maxByteLength: 0 });
  });
});

describe('a memo next to splits', () => {
  const split = { to: freshAddress(), amount: 1n };

  test('is measured however short it is: one split may leave less room than any transaction without splits', () => {
    const full = requestOf({
      createTokenAccount: 'always',
      splits: [split],
      references: Array.from({ length: 10 }, freshAddress),
      feePayer: freshAddress(),
      nonceAccount: freshAddress(),
      priorityFee: { level: 'low' },
    });
    const room = memoRoom(full, true);
    assert.ok(room > 0 && room < minMemoRoom, `${room}`);
    assert.equal(checkMemo(memoOf('m'.repeat(room)), full), undefined);
    assert.deepEqual(checkMemo(memoOf('m'.repeat(room + 1)), full)?.context, {
      byteLength: room + 1,
      maxByteLength: room,
    });
  });

  test('leaves compute units to each transfer, and to each token account that is created', () => {
    const to = freshAddress();
    const asked = requestOf({ to, createTokenAccount: 'always', splits: [split, split, { to, amount: 1n }] });
    const costing = (computeUnits: number): Memo => ({ ...memoOf('m'), computeUnits });
    // Four transfers of 10,000 and two token accounts of 45,000.
    const max = 1_400_000 - 4 * 10_000 - 2 * 45_000;
    assert.equal(checkMemo(costing(max), asked), undefined);
    assert.deepEqual(checkMemo(costing(max + 1), asked)?.context, {
      computeUnits: max + 1,
      maxOfTransaction: 1_400_000,
      maxOfMemo: max,
    });
  });
});

describe('a memo that no compute limit covers', () => {
  test('is refused, however small in bytes: 100 emoji', () => {
    const text = '😀'.repeat(100);
    const finding = refusalOf(text);
    assert.equal(finding.code, 'memo_too_costly');
    assert.equal(finding.field, 'memo');
    assert.deepEqual(finding.context, {
      computeUnits: memoOf(text).computeUnits,
      maxOfTransaction: 1_400_000,
      maxOfMemo: 1_390_000,
    });
  });
});
