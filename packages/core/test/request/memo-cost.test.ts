import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { getTransactionDecoder, address as kitAddress, lamports } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { readClassicMemoProgram } from '../../../../test/setup/classic-memo-program.ts';
import type { Address } from '../../src/addresses/address.ts';
import { computeBudgetProgram, memoProgram, systemProgram } from '../../src/addresses/programs.ts';
import { maxComputeUnits } from '../../src/plan/compute-budget.ts';
import { memoCharacterCosts } from '../../src/request/memo-cost-table.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress, legacyTransaction, memoOf } from '../fixtures.ts';

// What SetComputeUnitLimit itself spends (`DEFAULT_COMPUTE_UNITS` of the compute budget program).
const limitInstructionUnits = 150;
const setMaximumLimit = Uint8Array.of(2, 0xc0, 0x5c, 0x15, 0);

const machine = new LiteSVM().withSigverify(false).withBlockhashCheck(false);
machine.addProgram(kitAddress(memoProgram), readClassicMemoProgram());

/** What the classic Memo program really spends on a text. */
function costOf(text: string, signer: Address): number {
  const rich = { lamports: lamports(1_000_000_000n), data: new Uint8Array(), executable: false, space: 0n };
  const account = { address: kitAddress(signer), programAddress: kitAddress(systemProgram), ...rich };
  machine.setAccount(account);
  const instructions = [
    { program: computeBudgetProgram, accounts: [], data: setMaximumLimit },
    { program: memoProgram, accounts: [role.readonlySigner(signer)], data: new TextEncoder().encode(text) },
  ];
  const bytes = legacyTransaction(signer, instructions, systemProgram);
  const result = machine.simulateTransaction(getTransactionDecoder().decode(bytes));
  assert.ok(!(result instanceof FailedTransactionMetadata), `the Memo program takes ${JSON.stringify(text)}`);
  return Number(result.meta().computeUnitsConsumed()) - limitInstructionUnits;
}

/** Ranges of code points, by who writes them. */
const scripts: Readonly<Record<string, readonly [first: number, last: number]>> = {
  ascii: [0x20, 0x7e],
  control: [0x00, 0x1f],
  latin: [0xc0, 0x24f],
  combining: [0x300, 0x36f],
  greek: [0x391, 0x3c9],
  cyrillic: [0x410, 0x44f],
  hebrew: [0x5d0, 0x5ea],
  arabic: [0x620, 0x64a],
  devanagari: [0x904, 0x939],
  thai: [0xe01, 0xe3a],
  kana: [0x3041, 0x30fe],
  han: [0x4e00, 0x9fff],
  hangul: [0xac00, 0xd7a3],
  privateUse: [0xe000, 0xf8ff],
  cuneiform: [0x12000, 0x12399],
  emoji: [0x1f300, 0x1f64f],
  rareHan: [0x20000, 0x2a6df],
  last: [0x10ff00, 0x10ffff],
};

function textOf(names: readonly string[], length: number): string {
  let text = '';
  for (let count = 0; count < length; count++) {
    const [first, last] = scripts[names[count % names.length] ?? ''] ?? [0x20, 0x7e];
    const next = text + String.fromCodePoint(randomInt(first, last + 1));
    if (Buffer.byteLength(next) > 900 || memoOf(next).computeUnits > maxComputeUnits) return text;
    text = next;
  }
  return text;
}

function assertBoundIsGood(text: string): void {
  const signer = freshAddress();
  const real = costOf(text, signer);
  const estimate = memoOf(text).computeUnits;
  const what = `${JSON.stringify(text)} signed by ${signer}: ${estimate} estimated, ${real} spent`;
  assert.ok(estimate >= real, what);
  // Within a row of the table some characters cost far less than the row: of 40 in Thai the mean is 1.34, give or take 0.06.
  if (text.length >= 40) assert.ok(estimate <= 1.9 * (real + 3000), what);
}

describe('the estimate is never below what the classic Memo program spends, and not far above it', () => {
  for (const name of Object.keys(scripts)) {
    test(`for texts in one script: ${name}`, () => {
      for (const length of [1, randomInt(2, 30), randomInt(30, 120), 900]) assertBoundIsGood(textOf([name], length));
    });
  }

  test('for texts of mixed scripts and random signers', () => {
    const names = Object.keys(scripts);
    for (let count = 0; count < 60; count++) {
      const mix = Array.from({ length: randomInt(1, 6) }, () => names[randomInt(names.length)] ?? 'ascii');
      assertBoundIsGood(textOf(mix, randomInt(1, 400)));
    }
  });

  test('for the longest texts of one letter, at each doubling of the buffer', () => {
    for (const length of [1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 512, 513, 900]) {
      assertBoundIsGood('a'.repeat(length));
    }
  });
});

test('the bound holds for the most characters that fit, of those that make the buffer grow most for their cost', () => {
  for (const text of ['\u{20000}'.repeat(219), '\u{10080}'.repeat(219), '\u{103a0}'.repeat(219), '\0'.repeat(876)]) {
    assertBoundIsGood(text);
  }
});

test('every character costs what its row of the table says, whatever stands before it', () => {
  const costs = memoCharacterCosts.flatMap(([first, units], row) => {
    const end = memoCharacterCosts[row + 1]?.[0] ?? 0x110000;
    return Array<number>(end - first).fill(units);
  });
  // The first and the last of each row, and of the others one in a hundred.
  const ends = memoCharacterCosts.flatMap(([first]) => [first - 1, first]).filter((each) => each >= 0);
  const some = Array.from({ length: 0x10ffff / 100 }, (_, index) => 100 * index + randomInt(100));
  // In UTF-8, one for each number of bytes, and from rows far apart.
  const others = ['', 'a', 'é', '漢', '😀'];
  for (const codePoint of [...ends, ...some, 0x10ffff]) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const character = String.fromCodePoint(codePoint);
    const other = others[codePoint % others.length] ?? '';
    const [length, otherLength] = [character, other].map((text) => Buffer.byteLength(text));
    assert.ok(length !== undefined && otherLength !== undefined);
    const runs = otherLength === 0 || otherLength === length ? 1 : 2;
    const units = (costs[other.codePointAt(0) ?? -1] ?? 0) + (costs[codePoint] ?? 0);
    const expected = 16_500 + 50 * runs + units + 6.1 * (length + otherLength);
    const difference = memoOf(other + character).computeUnits - expected;
    // Rounded up, and not by what is lost in adding fractions.
    if (difference < -1e-6 || difference >= 1 + 1e-6) assert.fail(`U+${codePoint.toString(16)}: ${difference}`);
  }
});
