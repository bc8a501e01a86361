import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBudgetProgram } from '../../src/addresses/programs.ts';
import { TransactionLoad, weightOfFrame } from '../../src/batch/transaction-load.ts';
import type { TransactionFrame, WeighedBatch, WeighedTransfer } from '../../src/batch/weigh-batch.ts';
import { addressAt, plainOptions, transfersTo, weighed } from './random-batches.ts';

const frame: TransactionFrame = {
  version: 'legacy',
  accounts: [1, 2, 3, 4].map(addressAt),
  signatureCount: 1,
  paysPriorityFee: false,
  hasNonce: false,
  isHooked: false,
  paysSol: false,
  hasRoomForLimit: false,
};

function loaded(batch: WeighedBatch): TransactionLoad | undefined {
  const load = new TransactionLoad(batch);
  return batch.transfers.every((transfer) => load.add(transfer)) ? load : undefined;
}

test('a transfer that goes out again leaves the bytes that were there before', () => {
  // The same token account is created once, and the same reference is named once.
  const transfers = transfersTo(
    {},
    { recipient: 2, exists: false },
    { recipient: 2, exists: false },
    { exists: false, references: [7, 8] },
    { references: [8, 9], memo: 'a' },
    { recipient: 0, references: [9] },
  );
  for (const version of ['legacy', 0, 1] as const) {
    const batch = weighed(transfers, { ...plainOptions, version });
    const load = new TransactionLoad(batch);
    const lengths: number[] = [];
    for (const transfer of batch.transfers) {
      const parts = transfer.shared.filter((part) => !load.transfers.some(({ shared }) => shared.includes(part)));
      const added = [transfer, ...parts.flatMap((part) => batch.shared[part] ?? [])];
      lengths.push(load.byteLength);
      assert.ok(load.add(transfer));
      assert.equal(
        load.byteLength - (lengths.at(-1) ?? 0),
        added.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    }
    for (const transfer of batch.transfers.toReversed()) {
      load.remove(transfer);
      assert.equal(load.byteLength, lengths.pop());
    }
  }
});

test('a transaction without transfers takes its signatures, its accounts, and what a nonce and limits take', () => {
  // Signatures, header, accounts, blockhash; and three counts, in version 0 a version and no table.
  const shared = 64 + 3 + 4 * 32 + 32;
  const units = 600;
  assert.deepEqual(weightOfFrame(frame), { bytes: shared + 3, accounts: 4, instructions: 2, computeUnits: units });
  assert.equal(weightOfFrame({ ...frame, version: 0 }).bytes, shared + 5);
  assert.deepEqual(weightOfFrame({ ...frame, version: 1 }), {
    bytes: shared + 15,
    accounts: 4,
    instructions: 0,
    computeUnits: units,
  });
  assert.equal(weightOfFrame({ ...frame, version: 1, paysPriorityFee: true }).bytes, shared + 23);
  assert.equal(weightOfFrame({ ...frame, signatureCount: 2 }).bytes, shared + 64 + 3);
  assert.deepEqual(weightOfFrame({ ...frame, hasNonce: true }), {
    bytes: shared + 3 + 10,
    accounts: 4,
    instructions: 3,
    computeUnits: units,
  });
  assert.equal(weightOfFrame({ ...frame, version: 1, hasNonce: true }).bytes, shared + 15 + 11);
});

test('the program of a limit is named once, whether every transaction names it or a transfer does', () => {
  const budget = 8 + 12;
  const lengthOf = (references: readonly number[], parts: Partial<TransactionFrame>): number => {
    const batch = weighed(transfersTo({ references }));
    return loaded({ ...batch, frame: { ...batch.frame, ...parts } })?.byteLength ?? 0;
  };
  const paysPriorityFee = true;
  const plain = lengthOf([], {});
  assert.equal(lengthOf([], { paysPriorityFee }), plain + 32 + budget);
  const accounts = [...weighed(transfersTo({})).frame.accounts, computeBudgetProgram];
  assert.equal(lengthOf([], { paysPriorityFee, accounts }), plain + 32 + budget);
  // The account of the instruction is one byte more.
  assert.equal(lengthOf([0], { paysPriorityFee }), plain + 1 + 32 + budget);
});

/** The length of a transaction whose transfers create these token accounts, and of which the first has a memo of these units. */
function lengthWithMemo(memoComputeUnits: number, ...recipients: readonly number[]): number {
  const parts = recipients.map((recipient, index) => ({
    recipient,
    exists: false,
    memo: index === 0 ? 'a' : undefined,
  }));
  const batch = weighed(transfersTo(...parts), { ...plainOptions, createTokenAccount: 'if_missing' });
  const [first, ...others] = batch.transfers;
  assert.ok(first);
  return loaded({ ...batch, transfers: [{ ...first, memoComputeUnits }, ...others] })?.byteLength ?? 0;
}

test('a memo gets a limit from the first unit on that the default grant does not cover', () => {
  // Three instructions are granted 600,000 units, of which the transfer, the creation and headroom may take 85,000.
  assert.equal(lengthWithMemo(515_000, 1), lengthWithMemo(1, 1));
  assert.equal(lengthWithMemo(515_001, 1), lengthWithMemo(1, 1) + 8 + 32);
});

test('a token account that two transfers share is created once, and counts once for the limit of their memos', () => {
  // Four instructions are granted 800,000 units, of which two transfers, a creation and headroom may take 95,000.
  assert.equal(lengthWithMemo(705_000, 1, 1), lengthWithMemo(1, 1, 1));
  assert.equal(lengthWithMemo(705_001, 1, 1), lengthWithMemo(1, 1, 1) + 8 + 32);
});

test('a transaction is filled to the last compute unit, account, instruction and byte, and no further', () => {
  const batch = weighed(transfersTo({}), { ...plainOptions, version: 1 });
  const takes = (parts: Partial<WeighedTransfer>, frameParts: Partial<TransactionFrame> = {}): boolean => {
    const transfers = batch.transfers.map((transfer) => ({ ...transfer, ...parts }));
    return loaded({ ...batch, frame: { ...batch.frame, ...frameParts }, transfers }) !== undefined;
  };
  // Four builtin instructions at 150 units each are kept free.
  assert.ok(takes({ computeUnits: 1_399_400 }));
  assert.ok(!takes({ computeUnits: 1_399_401 }));
  const accounts = 64 - batch.frame.accounts.length;
  assert.ok(takes({ accounts }));
  assert.ok(!takes({ accounts: accounts + 1 }));
  const bytes = 4_096 - weightOfFrame(batch.frame).bytes;
  assert.ok(takes({ bytes }));
  assert.ok(!takes({ bytes: bytes + 1 }));
  // A limit and a price, which wallets insert, stand in the header in version 1.
  for (const [version, most] of [
    ['legacy', 62],
    [0, 62],
    [1, 64],
  ] as const) {
    assert.ok(takes({ instructions: most }, { version }));
    assert.ok(!takes({ instructions: most + 1 }, { version }));
    assert.ok(!takes({ instructions: most }, { version, hasNonce: true }));
  }
});

test('next to a hook a memo gets a compute limit, unless it is alone and needs the bytes', () => {
  const batch = weighed(transfersTo({ memo: 'a' }));
  const longest = (parts: Partial<TransactionFrame>): number => {
    let length = 1_232;
    const fits = (bytes: number): boolean => {
      const transfers = batch.transfers.map((transfer) => ({ ...transfer, bytes }));
      return loaded({ ...batch, transfers, frame: { ...batch.frame, ...parts } }) !== undefined;
    };
    while (!fits(length)) length--;
    return length;
  };
  assert.equal(longest({ isHooked: true }), longest({}));
  assert.equal(longest({ isHooked: true, hasRoomForLimit: true }), longest({}) - 40);
  const lengthOf = (memo: string | undefined, isHooked: boolean): number => {
    const two = weighed(transfersTo({ memo }, { memo }));
    return loaded({ ...two, frame: { ...two.frame, isHooked } })?.byteLength ?? 0;
  };
  assert.equal(lengthOf('a', true), lengthOf('a', false) + 40);
  assert.equal(lengthOf(undefined, true), lengthOf(undefined, false));
});
