import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenProgram,
} from '../../src/addresses/programs.ts';
import { type BytePart, bytePartsOf } from '../../src/transaction/byte-parts.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { freshAddress, legacyTransaction } from '../random-plans.ts';

const accounts = Array.from({ length: 6 }, () => role.writable(freshAddress()));

/** The data of an instruction that begins with these bytes, of this length. */
function dataOf(length: number, ...first: number[]): Uint8Array {
  const data = new Uint8Array(length);
  data.set(first);
  return data;
}

function bytesOf(...instructions: Instruction[]): Uint8Array {
  return legacyTransaction(freshAddress(), instructions, freshAddress());
}

/** Where the parts end, once it is sure that each begins where the one before ends. */
function endOf(parts: readonly BytePart[]): number {
  let end = 0;
  for (const { offset, length } of parts) {
    assert.equal(offset, end);
    end += length;
  }
  return end;
}

test('the data of each instruction that is known is cut into its fields, that of another is one field', () => {
  const cases: readonly (readonly [Instruction, readonly (readonly [string, number])[]])[] = [
    [{ program: systemProgram, accounts, data: dataOf(4, 4) }, [['discriminator', 4]]],
    [
      { program: computeBudgetProgram, accounts: [], data: dataOf(9, 3) },
      [
        ['discriminator', 1],
        ['price', 8],
      ],
    ],
    [
      { program: computeBudgetProgram, accounts: [], data: dataOf(5, 2) },
      [
        ['discriminator', 1],
        ['limit', 4],
      ],
    ],
    [{ program: associatedTokenProgram, accounts, data: dataOf(1, 1) }, [['discriminator', 1]]],
    [
      { program: tokenProgram, accounts, data: dataOf(10, 12) },
      [
        ['discriminator', 1],
        ['amount', 8],
        ['decimals', 1],
      ],
    ],
    [{ program: memoProgram, accounts: [], data: dataOf(7) }, [['text', 7]]],
    [{ program: freshAddress(), accounts, data: dataOf(11) }, [['data', 11]]],
    [{ program: freshAddress(), accounts, data: dataOf(0) }, []],
  ];
  const bytes = bytesOf(...cases.map(([instruction]) => instruction));
  const parts = bytePartsOf(bytes);
  assert.equal(endOf(parts), bytes.length);
  for (const [index, [, expected]] of cases.entries()) {
    const data = parts.flatMap((part) => (part.kind === 'data' && part.instruction === index ? [part] : []));
    assert.deepEqual(
      data.map(({ field, length }) => [field, length]),
      expected,
    );
  }
});

test('the number of instructions is one byte up to 127, and two from 128 on', () => {
  for (const [count, expected] of [
    [0, [0]],
    [127, [127]],
    [128, [0x80, 1]],
    [129, [0x81, 1]],
  ] as const) {
    const instruction = { program: memoProgram, accounts: [], data: dataOf(1) };
    const bytes = bytesOf(...Array.from({ length: count }, () => instruction));
    const parts = bytePartsOf(bytes);
    assert.equal(endOf(parts), bytes.length);
    const counts = parts.flatMap(({ kind, offset, length }) =>
      kind === 'instruction_count' ? [...bytes.subarray(offset, offset + length)] : [],
    );
    assert.deepEqual(counts, expected);
  }
});

test('the header of version 1 has the settings that its mask announces, and no others', () => {
  const settings = [
    [0b0_0011, 'header_priority_fee', 8],
    [0b0_0100, 'header_compute_limit', 4],
    [0b0_1000, 'header_size_limit', 4],
    [0b1_0000, 'header_heap_size', 4],
  ] as const;
  // Each of the four is there or not: sixteen masks.
  for (let choice = 0; choice < 16; choice++) {
    const chosen = settings.filter((_, index) => (choice & (1 << index)) !== 0);
    const mask = chosen.reduce((bits, [own]) => bits | own, 0);
    const length = chosen.reduce((sum, [, , own]) => sum + own, 0);
    const start = [0x81, 1, 0, 0, mask, 0, 0, 0, ...dataOf(32, 5), 0, 1, ...dataOf(32, 6)];
    const bytes = Uint8Array.from([...start, ...dataOf(length), ...dataOf(64)]);
    const parts = bytePartsOf(bytes);
    assert.equal(endOf(parts), bytes.length);
    const settingsFound = parts.slice(-1 - chosen.length, -1).map((part) => [part.kind, part.length]);
    assert.deepEqual(
      settingsFound,
      chosen.map(([, kind, own]) => [kind, own]),
    );
    assert.deepEqual(
      parts.flatMap((part) => (part.kind === 'header_limits' ? [[part.offset, part.length]] : [])),
      [[4, 4]],
    );
  }
});
