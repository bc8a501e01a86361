import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Address } from '../../src/core/address.ts';
import { toMessage } from '../../src/core/build-transaction.ts';
import { encodeTransaction, transactionSizeLimit } from '../../src/core/encode-transaction.ts';
import type { Memo } from '../../src/core/memo.ts';
import { leastMemoByteLimit, type MessageShape, memoByteLimit } from '../../src/core/message-size.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenPrograms,
} from '../../src/core/programs.ts';
import type { TransactionVersion, TransferPlan } from '../../src/core/transfer-plan.ts';
import { optionPlanWith } from './random-option-plans.ts';
import { anyAddress, freshAddress } from './random-plans.ts';

/** What the chain decides about a message and its shape does not: nothing of it may change the size. */
interface Unknowns {
  tokenProgram: Address;
  isAdvancedByPayer: boolean;
}

function memoOfLength(length: number): Memo {
  const text = 'm'.repeat(length);
  return { text, bytes: new TextEncoder().encode(text), computeUnits: 0 };
}

/** The size of the transaction of a shape, as it is encoded. */
function encodedSize(shape: MessageShape, unknowns: Unknowns, memoLength: number): number {
  const { options } = shape;
  const setsPrice = options.priorityFee !== undefined;
  const setsLimit = shape.setsComputeUnitLimit || setsPrice || options.version === 1;
  const authority = unknowns.isAdvancedByPayer ? options.feePayer : shape.from;
  const plan: TransferPlan = optionPlanWith({
    version: options.version,
    feePayer: options.feePayer,
    sender: shape.from,
    recipient: shape.to,
    mint: shape.mint,
    tokenProgram: unknowns.tokenProgram,
    createsRecipientTokenAccount: shape.operation === 'create_transfer',
    memo: memoOfLength(memoLength),
    computeUnitLimit: setsLimit ? 100_000 : undefined,
    computeUnitPrice: setsPrice && options.version !== 1 ? 1n : 0n,
    priorityFee: setsPrice ? 1n : 0n,
    nonce: options.nonceAccount && { account: options.nonceAccount, authority, nonce: freshAddress() },
    references: options.references,
  });
  return encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? freshAddress())).length;
}

const anyShape: fc.Arbitrary<MessageShape> = fc
  .record({
    operation: fc.constantFrom('memo_transfer', 'yid_transfer', 'create_transfer'),
    wallets: fc.uniqueArray(anyAddress, { minLength: 4, maxLength: 4 }),
    payer: fc.constantFrom('sender', 'recipient', 'another'),
    version: fc.constantFrom<TransactionVersion[]>('legacy', 0, 1),
    hasPriorityFee: fc.boolean(),
    nonceAccount: fc.option(anyAddress, { nil: undefined }),
    strangers: fc.uniqueArray(anyAddress, { maxLength: 10 }),
    familiars: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]),
    setsComputeUnitLimit: fc.boolean(),
  })
  .map(
    ({
      operation,
      wallets,
      payer,
      version,
      hasPriorityFee,
      nonceAccount,
      strangers,
      familiars,
      setsComputeUnitLimit,
    }) => {
      const [from, to, mint, another] = wallets;
      if (!from || !to || !mint || !another) throw new Error('too few wallets');
      const feePayer = { sender: from, recipient: to, another }[payer];
      // References may be accounts that the message has anyway, or has only in some shapes.
      const known = [
        from,
        to,
        mint,
        systemProgram,
        associatedTokenProgram,
        computeBudgetProgram,
        memoProgram,
        nonceAccount,
      ];
      const references = [...strangers, ...familiars.map((index) => known[index])]
        .filter((reference) => reference !== undefined)
        .slice(-10);
      const priorityFee = hasPriorityFee ? { microLamportsPerComputeUnit: 1n } : undefined;
      const options = { feePayer, version, priorityFee, nonceAccount, references };
      return { operation, from, to, mint, options, setsComputeUnitLimit };
    },
  );
const unknowns = fc.record({ tokenProgram: fc.constantFrom(...tokenPrograms), isAdvancedByPayer: fc.boolean() });

test('A memo of exactly the limit fills the transaction to the last byte, and one byte more is too much', () => {
  const property = fc.property(anyShape, unknowns, (shape, rest) => {
    const limit = memoByteLimit(shape);
    const size = transactionSizeLimit(shape.options.version);
    fc.pre(limit > 0);
    const filled = encodedSize(shape, rest, limit);
    // At 128 bytes a memo takes one more for its length: then the byte before cannot be filled.
    const isAtStep = limit === 127 && shape.options.version !== 1;
    assert.ok(
      filled === size || (isAtStep && filled === size - 1),
      `${filled} of ${size} bytes with a memo of ${limit}`,
    );
    assert.ok(encodedSize(shape, rest, limit + 1) > size, `a memo of ${limit + 1} bytes fits, too`);
  });
  fc.assert(property, { numRuns: 1000 });
});

test('A memo that fits any transaction fits those of every shape', () => {
  const property = fc.property(anyShape, (shape) => {
    const limit = memoByteLimit(shape);
    assert.ok(limit >= leastMemoByteLimit, `room for ${limit} bytes`);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('Around 128 bytes, where the length of a memo takes a second byte, the limit is right at every step', () => {
  const [from, to, mint] = [freshAddress(), freshAddress(), freshAddress()];
  const rest = { tokenProgram: tokenPrograms[0] ?? mint, isAdvancedByPayer: false };
  for (const version of ['legacy', 0] as const) {
    const limits = new Set<number>();
    for (let strangers = 22; strangers <= 24; strangers++) {
      const references = Array.from({ length: strangers }, freshAddress);
      // A reference that the message has anyway adds one byte, its index: so the limit goes down one by one.
      for (let familiars = 0; familiars < 33; familiars++) {
        const list = [...references, ...Array.from({ length: familiars }, () => mint)];
        const options = { feePayer: from, version, priorityFee: undefined, nonceAccount: undefined, references: list };
        const shape: MessageShape = {
          operation: 'memo_transfer',
          from,
          to,
          mint,
          options,
          setsComputeUnitLimit: false,
        };
        const limit = memoByteLimit(shape);
        limits.add(limit);
        const [filled, tooMuch] = [limit, limit + 1].map((length) => encodedSize(shape, rest, length));
        assert.ok(filled !== undefined && filled <= 1232, `${filled} bytes with a memo of ${limit}`);
        assert.ok(tooMuch !== undefined && tooMuch > 1232, `a memo of ${limit + 1} bytes fits, too`);
      }
    }
    for (let limit = 120; limit <= 140; limit++) assert.ok(limits.has(limit), `no limit of ${limit} in ${version}`);
  }
});

test('A message that is too large without any memo has a limit below zero, by as many bytes', () => {
  const from = freshAddress();
  const references = Array.from({ length: 40 }, freshAddress);
  const options = {
    feePayer: from,
    version: 'legacy',
    priorityFee: undefined,
    nonceAccount: undefined,
    references,
  } as const;
  const shape: MessageShape = {
    operation: 'memo_transfer',
    from,
    to: freshAddress(),
    mint: freshAddress(),
    options,
    setsComputeUnitLimit: false,
  };
  const rest = { tokenProgram: tokenPrograms[0] ?? from, isAdvancedByPayer: false };
  assert.equal(encodedSize(shape, rest, 0) - 1232, -memoByteLimit(shape));
  assert.ok(memoByteLimit(shape) < 0);
});
