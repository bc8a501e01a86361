import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBudgetProgram } from '../../../src/addresses/programs.ts';
import type { Parcel, TransactionFrame } from '../../../src/packing/weights/parcel.ts';
import { TransactionLoad, weightOfFrame } from '../../../src/packing/weights/transaction-load.ts';
import { ofEachLimit, type WeighedBatch, type Weight, weighBatch } from '../../../src/packing/weights/weigh-batch.ts';
import { addressAt } from '../../batch/random-batches.ts';
import { frame, parcelTo } from '../plain-parcels.ts';

function weighed(parcels: readonly Parcel[], parts: Partial<TransactionFrame> = {}): WeighedBatch {
  return weighBatch(parcels, { ...frame, ...parts });
}

function difference(one: Weight, other: Weight): Weight {
  return {
    bytes: one.bytes - other.bytes,
    accounts: one.accounts - other.accounts,
    instructions: one.instructions - other.instructions,
    computeUnits: one.computeUnits - other.computeUnits,
  };
}

test('what a transfer would take is what is then taken, and is free again when it goes', () => {
  const creating = { createsTokenAccount: true };
  const parcels = [
    parcelTo(1),
    parcelTo(2, creating),
    // The same token account is created once, and the same reference is named once.
    parcelTo(2, creating),
    parcelTo(3, { ...creating, furtherAccounts: [addressAt(7), addressAt(8)] }),
    parcelTo(4, { furtherAccounts: [addressAt(8), addressAt(9)] }),
    parcelTo(1, { furtherAccounts: [addressAt(9)] }),
  ];
  for (const version of ['legacy', 0, 1] as const) {
    const batch = weighed(parcels, { version });
    const load = new TransactionLoad(batch);
    const rooms: Weight[] = [];
    for (const transfer of batch.transfers) {
      const before = load.room();
      const parts = transfer.shared.filter((part) => !load.transfers.some(({ shared }) => shared.includes(part)));
      const added = [transfer, ...parts.flatMap((part) => batch.shared[part] ?? [])];
      assert.ok(load.add(transfer));
      assert.deepEqual(
        difference(before, load.room()),
        ofEachLimit((limit) => added.reduce((sum, each) => sum + each[limit], 0)),
      );
      rooms.push(before);
    }
    for (const transfer of batch.transfers.toReversed()) {
      load.remove(transfer);
      assert.deepEqual(load.room(), rooms.pop());
    }
  }
});

test('a transaction without transfers takes its signatures, its accounts, and what a nonce and limits take', () => {
  // Signatures, header, accounts, blockhash; and three counts, in version 0 a version and no table.
  const shared = 64 + 3 + 4 * 32 + 32;
  const units = 600;
  assert.deepEqual(weightOfFrame(frame), { bytes: shared + 3, accounts: 4, instructions: 2, computeUnits: units });
  assert.deepEqual(weightOfFrame({ ...frame, version: 0 }).bytes, shared + 5);
  assert.deepEqual(weightOfFrame({ ...frame, version: 1 }), {
    bytes: shared + 15,
    accounts: 4,
    instructions: 0,
    computeUnits: units,
  });
  assert.equal(weightOfFrame({ ...frame, version: 1, paysPriorityFee: true }).bytes, shared + 23);
  assert.equal(weightOfFrame({ ...frame, signatureCount: 2 }).bytes, shared + 64 + 3);
  for (const [version, length] of [
    ['legacy', 10],
    [1, 11],
  ] as const) {
    const [without, withNonce] = [false, true].map((hasNonce) => weightOfFrame({ ...frame, version, hasNonce }));
    assert.ok(without && withNonce);
    const nonce = { bytes: length, accounts: 0, instructions: 1, computeUnits: 0 };
    assert.deepEqual(difference(withNonce, without), nonce);
  }
});

test('the program of a limit is named once, whether every transaction names it or a transfer does', () => {
  const budget = 8 + 12;
  const lengthOf = (accounts: TransactionFrame['accounts'], parcel: Parcel, paysPriorityFee = true): number => {
    const batch = weighed([parcel], { accounts, paysPriorityFee });
    const load = new TransactionLoad(batch);
    for (const transfer of batch.transfers) assert.ok(load.add(transfer));
    return load.byteLength;
  };
  const { accounts } = frame;
  const plain = lengthOf(accounts, parcelTo(1), false);
  assert.equal(lengthOf(accounts, parcelTo(1)), plain + 32 + budget);
  assert.equal(lengthOf([...accounts, computeBudgetProgram], parcelTo(1)), plain + 32 + budget);
  const naming = parcelTo(1, { furtherAccounts: [computeBudgetProgram] });
  // The account of the instruction is one byte more.
  assert.equal(lengthOf(accounts, naming), plain + 1 + 32 + budget);
  assert.equal(lengthOf([...accounts, computeBudgetProgram], naming), plain + 1 + 32 + budget);
});

test('a memo gets a limit from the first unit on that the default grant does not cover', () => {
  const lengthWith = (memoComputeUnits: number): number => {
    const memo = { memoByteLength: 5, memoComputeUnits, computeUnits: 6_300 + memoComputeUnits };
    const batch = weighed([parcelTo(1, memo)]);
    const load = new TransactionLoad(batch);
    for (const transfer of batch.transfers) assert.ok(load.add(transfer));
    return load.byteLength;
  };
  // Two instructions are granted 400,000 units, of which the transfer and headroom may take 40,000.
  assert.equal(lengthWith(360_001), lengthWith(360_000) + 8 + 32);
});

test('a token account that two transfers share is created once, and counts once for the limit of their memos', () => {
  const lengthWith = (memoComputeUnits: number): number => {
    const memo = { memoByteLength: 5, memoComputeUnits, computeUnits: 6_300 + memoComputeUnits };
    const batch = weighed([
      parcelTo(1, { ...memo, createsTokenAccount: true }),
      parcelTo(1, { createsTokenAccount: true }),
    ]);
    const load = new TransactionLoad(batch);
    for (const transfer of batch.transfers) assert.ok(load.add(transfer));
    return load.byteLength;
  };
  // Four instructions are granted 800,000 units, of which two transfers, a creation and headroom may take 95,000.
  assert.equal(lengthWith(705_000), lengthWith(1));
  assert.equal(lengthWith(705_001), lengthWith(1) + 8 + 32);
});
