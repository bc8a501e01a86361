import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeBudgetProgram } from '../../../src/addresses/programs.ts';
import type { Parcel } from '../../../src/packing/weights/parcel.ts';
import {
  bytesOfInstruction,
  type WeighedBatch,
  type Weight,
  weighBatch,
} from '../../../src/packing/weights/weigh-batch.ts';
import { addressAt } from '../../batch/random-batches.ts';
import { frame, parcelTo } from '../plain-parcels.ts';

const [seven, eight] = [7, 8].map(addressAt);
assert.ok(seven && eight);

const weighedParcels = (...parcels: readonly Parcel[]): WeighedBatch => weighBatch(parcels, frame);

const weightOf = ({ bytes, accounts, instructions, computeUnits }: Weight): Weight => ({
  bytes,
  accounts,
  instructions,
  computeUnits,
});

const account = { bytes: 32, accounts: 1, instructions: 0, computeUnits: 0 };
const sharedAccount = { ...account, isCreate: false, isLimitProgram: false };
// The index of the program, two lengths, four accounts and ten bytes of data; and the recipient's token account.
const transferBytes = 17;
const alone = { bytes: transferBytes + 32, accounts: 1, instructions: 1, computeUnits: 6_300 };

describe('a transfer of a batch', () => {
  test('takes its instruction and its token account, and an account for each that it names alone', () => {
    const { transfers, shared } = weighedParcels(parcelTo(1), parcelTo(2, { furtherAccounts: [seven, eight] }));
    assert.deepEqual(transfers.map(weightOf), [
      alone,
      { ...alone, bytes: alone.bytes + 2 * 33, accounts: alone.accounts + 2 },
    ]);
    assert.deepEqual(shared, []);
  });

  test('takes no account that every transaction has', () => {
    const { transfers } = weighedParcels(parcelTo(1, { furtherAccounts: frame.accounts.slice(1, 3) }));
    assert.deepEqual(transfers.map(weightOf), [{ ...alone, bytes: alone.bytes + 2 }]);
  });

  test('that creates a token account takes that instruction, its calls and units, the wallet and two programs', () => {
    const { transfers, shared } = weighedParcels(parcelTo(1, { createsTokenAccount: true }));
    assert.deepEqual(transfers.map(weightOf), [
      { bytes: alone.bytes + 10 + 3 * 32, accounts: 4, instructions: 6, computeUnits: 27_300 },
    ]);
    assert.equal(transfers[0]?.creates, 1);
    assert.deepEqual(shared, []);
  });

  test('with a memo takes that instruction and its program', () => {
    const memo = { memoByteLength: 5, memoComputeUnits: 77, computeUnits: 6_377, instructionCount: 2 };
    const [transfer, other] = weighedParcels(parcelTo(1, memo), parcelTo(2)).transfers;
    assert.ok(transfer && other);
    assert.deepEqual(weightOf(transfer), {
      bytes: alone.bytes + 9 + 32,
      accounts: 2,
      instructions: 2,
      computeUnits: 6_377,
    });
    assert.deepEqual([transfer.memoComputeUnits, other.memoComputeUnits], [77, undefined]);
    assert.deepEqual([transfer.creates, other.creates], [0, 0]);
  });
});

describe('what transfers of a batch share', () => {
  test('is an account that several name', () => {
    const { transfers, shared } = weighedParcels(
      parcelTo(1, { furtherAccounts: [seven, eight] }),
      parcelTo(2, { furtherAccounts: [seven] }),
      parcelTo(3, { furtherAccounts: [seven, eight] }),
      parcelTo(4),
    );
    assert.deepEqual(shared, [sharedAccount, sharedAccount]);
    assert.deepEqual(
      transfers.map(({ shared: parts }) => parts),
      [[0, 1], [0], [0, 1], []],
    );
    assert.deepEqual(
      transfers.map(weightOf),
      [2, 1, 2, 0].map((count) => ({ ...alone, bytes: alone.bytes + count })),
    );
  });

  test('is told of each transfer, also of those that share as much as the one before', () => {
    const nine = addressAt(9);
    const pairs = [[seven, eight], [seven, nine], [eight, nine], [seven], [eight]];
    const { transfers } = weighedParcels(
      ...pairs.map((furtherAccounts, index) => parcelTo(index, { furtherAccounts })),
    );
    assert.deepEqual(
      transfers.map(({ shared: parts }) => parts),
      [[0, 1], [0, 2], [1, 2], [0], [1]],
    );
  });

  test('is the creation of a token account that several pay, with its wallet and its programs', () => {
    const creating = { createsTokenAccount: true };
    const { transfers, shared } = weighedParcels(parcelTo(1, creating), parcelTo(2, creating), parcelTo(1, creating));
    // The token account, its wallet, the two programs, and the creation.
    const creation = { bytes: 10, accounts: 0, instructions: 5, computeUnits: 21_000 };
    assert.deepEqual(shared, [
      ...Array.from({ length: 4 }, () => sharedAccount),
      { ...creation, isCreate: true, isLimitProgram: false },
    ]);
    assert.deepEqual(
      transfers.map(({ shared: parts, creates }) => [parts, creates]),
      [
        [[0, 1, 2, 3, 4], 0],
        [[2, 3], 1],
        [[0, 1, 2, 3, 4], 0],
      ],
    );
    const own = { bytes: transferBytes, accounts: 0, instructions: 1, computeUnits: 6_300 };
    assert.deepEqual(transfers.map(weightOf), [
      own,
      { bytes: alone.bytes + 10 + 32, accounts: 2, instructions: 6, computeUnits: 27_300 },
      own,
    ]);
  });

  test('is the program of compute limits, even if one transfer alone names it', () => {
    const { transfers, shared } = weighedParcels(parcelTo(1, { furtherAccounts: [computeBudgetProgram] }), parcelTo(2));
    assert.deepEqual(shared, [{ ...sharedAccount, isLimitProgram: true }]);
    assert.deepEqual(
      transfers.map(({ shared: parts }) => parts),
      [[0], []],
    );
  });
});

test('an account that a transfer names twice is one', () => {
  const [twice] = weighedParcels(parcelTo(1, { furtherAccounts: [seven, seven] })).transfers;
  assert.ok(twice);
  assert.deepEqual(weightOf(twice), { ...alone, bytes: alone.bytes + 32 + 2, accounts: 2 });
});

test('the lengths of an instruction take a byte each up to 127, and in version 1 four in all', () => {
  for (const [accounts, data, legacy, version1] of [
    [4, 10, 17, 18],
    [1, 127, 131, 132],
    [1, 128, 133, 133],
    [128, 128, 261, 260],
  ] as const) {
    assert.equal(bytesOfInstruction(accounts, data, 'legacy'), legacy);
    assert.equal(bytesOfInstruction(accounts, data, 0), legacy);
    assert.equal(bytesOfInstruction(accounts, data, 1), version1);
  }
});
