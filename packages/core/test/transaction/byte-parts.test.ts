import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { getCompiledTransactionMessageDecoder } from '@solana/kit';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { addressFromBytes } from '../../src/addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenProgram,
} from '../../src/addresses/programs.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { type BytePart, bytePartsOf } from '../../src/transaction/byte-parts.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { freshAddress, legacyTransaction } from '../fixtures.ts';
import { anyBlockhash, anyOptionPlan } from '../random-plans.ts';

const anyTransaction = fc
  .tuple(anyOptionPlan('legacy', 0, 1), anyBlockhash)
  .map(([plan, hash]) => encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? hash)));

/** What kit reads in a message: instructions with the indices of their accounts, in the same shape for every version. */
function readByKit(message: Uint8Array) {
  const read = getCompiledTransactionMessageDecoder().decode(message);
  const instructions =
    read.version === 1
      ? read.instructionHeaders.map((header, index) => ({
          program: header.programAccountIndex,
          accounts: [...(read.instructionPayloads[index]?.instructionAccountIndices ?? [])],
          data: Uint8Array.from(read.instructionPayloads[index]?.instructionData ?? []),
        }))
      : read.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
          program: programAddressIndex,
          accounts: [...accountIndices],
          data: Uint8Array.from(data),
        }));
  return { ...read, instructions };
}

describe('the parts of the bytes of a transaction', () => {
  it('are where kit finds the same things', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        assert.equal(endOf(bytePartsOf(bytes)), bytes.length);
        const parts = bytePartsOf(bytes).map((part) => ({
          ...part,
          own: bytes.subarray(part.offset, part.offset + part.length),
        }));
        const signatures = parts.filter(({ kind }) => kind === 'signature');
        const isFirst = bytes[0] !== 0x81;
        const message = isFirst
          ? bytes.subarray(1 + 64 * signatures.length)
          : bytes.subarray(0, -64 * signatures.length);
        const kit = readByKit(message);
        const firstByteOf = (name: string) => parts.find(({ kind }) => kind === name)?.own[0];
        assert.equal(signatures.length, kit.header.numSignerAccounts);
        assert.equal(signatures[0]?.offset, isFirst ? 1 : message.length);
        assert.equal(firstByteOf('required_signatures'), kit.header.numSignerAccounts);
        assert.equal(firstByteOf('readonly_signers'), kit.header.numReadonlySignerAccounts);
        assert.equal(firstByteOf('readonly_non_signers'), kit.header.numReadonlyNonSignerAccounts);
        const addresses = parts.filter(({ kind }) => kind === 'address').map(({ own }) => addressFromBytes(own));
        assert.deepEqual(addresses, kit.staticAccounts);
        const lifetime = parts.find(({ kind }) => kind === 'lifetime');
        assert.equal(lifetime && addressFromBytes(lifetime.own), kit.lifetimeToken);
        assert.equal(firstByteOf('instruction_count'), kit.instructions.length);
        assert.equal(firstByteOf('address_count'), kit.staticAccounts.length);
        for (const [index, expected] of kit.instructions.entries()) {
          const own = parts.filter((part) => 'instruction' in part && part.instruction === index);
          const program = own.filter((part) => part.kind === 'program');
          assert.deepEqual(
            [program.length, program[0]?.own[0], program[0]?.account],
            [1, expected.program, expected.program],
          );
          const accounts = own.filter((part) => part.kind === 'account');
          assert.deepEqual(
            accounts.map((part) => part.own[0]),
            expected.accounts,
          );
          assert.deepEqual(
            accounts.map((part) => part.account),
            expected.accounts,
          );
          assert.deepEqual(
            accounts.map((part) => part.position),
            expected.accounts.map((_, position) => position),
          );
          const data = own.filter((part) => part.kind === 'data');
          assert.deepEqual(
            data.flatMap((part) => [...part.own]),
            [...expected.data],
          );
          const counts = own.flatMap((part) => ('count' in part ? [[part.kind, part.count]] : []));
          assert.deepEqual(counts, [
            ['account_count', expected.accounts.length],
            ['data_length', expected.data.length],
          ]);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

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
    assert.ok(length > 0);
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
