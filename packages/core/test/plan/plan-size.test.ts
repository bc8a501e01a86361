import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Address, addressFromBytes } from '../../src/addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenProgram,
  tokenPrograms,
} from '../../src/addresses/programs.ts';
import { type MemoSurroundings, memoRoom, minMemoRoom } from '../../src/decide/check-memo.ts';
import { planSize, toMessage } from '../../src/plan/plan-message.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import type { Memo } from '../../src/request/memo.ts';
import type { TokenAccountCreation, TransferLayout } from '../../src/request/transfer-request.ts';
import {
  encodeTransaction,
  type TransactionVersion,
  transactionSizeLimit,
} from '../../src/transaction/encode-transaction.ts';
import { requestOf } from '../chain-accounts.ts';
import { anyAddress, freshAddress, paymentOf, planWith } from '../random-plans.ts';

/** What the chain decides about a message and its shape does not: nothing of it may change the size. */
interface Unknowns {
  tokenProgram: Address;
  isAdvancedByPayer: boolean;
}

function memoOfLength(length: number): Memo {
  const text = 'm'.repeat(length);
  return { text, bytes: new TextEncoder().encode(text), computeUnits: 0 };
}

/** What the transaction is made from that the room of a memo is asked for. */
type Shape = MemoSurroundings & { setsComputeUnitLimit: boolean };

const roomOf = (shape: Shape): number => memoRoom(shape, shape.setsComputeUnitLimit);

/** The plan of a shape with a memo of so many bytes. */
function planOf(shape: Shape, unknowns: Unknowns, memoLength: number): TransferPlan {
  const setsPrice = shape.priorityFee !== undefined;
  const setsLimit = shape.setsComputeUnitLimit || setsPrice || shape.version === 1 || shape.layout === 'x402';
  const authority = unknowns.isAdvancedByPayer ? shape.feePayer : shape.from;
  const creates = shape.createTokenAccount === 'always';
  const paid = new Set<Address>();
  const createsFor = (recipient: Address): boolean => creates && paid.size < paid.add(recipient).size;
  return planWith({
    splits: shape.splits.map(({ to, amount }) =>
      paymentOf(
        { mint: shape.mint, tokenProgram: unknowns.tokenProgram },
        { recipient: to, amount, createsRecipientTokenAccount: createsFor(to) },
      ),
    ),
    version: shape.version,
    layout: shape.layout,
    feePayer: shape.feePayer,
    sender: shape.from,
    recipient: shape.to,
    mint: shape.mint,
    tokenProgram: unknowns.tokenProgram,
    createsRecipientTokenAccount: createsFor(shape.to),
    memo: memoOfLength(memoLength),
    computeUnitLimit: setsLimit ? 100_000 : undefined,
    computeUnitPrice: setsPrice && shape.version !== 1 ? 1n : 0n,
    priorityFee: setsPrice ? 1n : 0n,
    nonce: shape.nonceAccount && { account: shape.nonceAccount, authority, nonce: freshAddress() },
    references: shape.references,
  });
}

/** The size of the transaction of a shape, as it is encoded; also held to what is counted. */
function encodedSize(shape: Shape, unknowns: Unknowns, memoLength: number): number {
  const plan = planOf(shape, unknowns, memoLength);
  const size = encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? freshAddress())).length;
  assert.equal(planSize(plan), size);
  return size;
}

const anyShape: fc.Arbitrary<Shape> = fc
  .record({
    layout: fc.constantFrom<TransferLayout[]>('default', 'default', 'x402'),
    createTokenAccount: fc.constantFrom<TokenAccountCreation[]>('always', 'never'),
    wallets: fc.uniqueArray(anyAddress, { minLength: 4, maxLength: 4 }),
    payer: fc.constantFrom('sender', 'recipient', 'another'),
    version: fc.constantFrom<TransactionVersion[]>('legacy', 0, 1),
    hasPriorityFee: fc.boolean(),
    nonceAccount: fc.option(anyAddress, { nil: undefined }),
    splits: fc.uniqueArray(anyAddress, { maxLength: 5 }),
    isSplitRepeated: fc.boolean(),
    strangers: fc.uniqueArray(anyAddress, { maxLength: 10 }),
    familiars: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    setsComputeUnitLimit: fc.boolean(),
  })
  .map(
    ({
      layout,
      createTokenAccount,
      wallets,
      payer,
      version,
      hasPriorityFee,
      nonceAccount,
      splits,
      isSplitRepeated,
      strangers,
      familiars,
      setsComputeUnitLimit,
    }) => {
      const [from, to, mint, another] = wallets;
      if (!from || !to || !mint || !another) throw new Error('too few wallets');
      const feePayer = { sender: from, recipient: to, another }[payer];
      // References may be accounts that the message has anyway, or only in some shapes, or what stands in for others.
      const known = [
        from,
        to,
        mint,
        systemProgram,
        associatedTokenProgram,
        computeBudgetProgram,
        memoProgram,
        nonceAccount,
        addressFromBytes(new Uint8Array(32).fill(1)),
        addressFromBytes(new Uint8Array(32).fill(3)),
      ];
      const references = [...strangers, ...familiars.map((index) => known[index])]
        .filter((reference) => reference !== undefined)
        .slice(-10);
      const priorityFee = hasPriorityFee ? { microLamportsPerComputeUnit: 1n } : undefined;
      const shape: Shape = {
        layout,
        createTokenAccount,
        from,
        to,
        mint,
        feePayer,
        version,
        priorityFee,
        nonceAccount,
        splits: (isSplitRepeated ? [...splits.slice(1), to, to] : splits).map((other) => ({ to: other, amount: 1n })),
        references,
        setsComputeUnitLimit,
      };
      if (layout === 'default') return shape;
      const x402Version = version === 1 ? 0 : version;
      return { ...shape, createTokenAccount: 'never', version: x402Version, nonceAccount: undefined, splits: [] };
    },
  );
const unknowns = fc.record({ tokenProgram: fc.constantFrom(...tokenPrograms), isAdvancedByPayer: fc.boolean() });

test('A memo of exactly the limit fills the transaction to the last byte, and one byte more is too much', () => {
  const property = fc.property(anyShape, unknowns, (shape, rest) => {
    const limit = roomOf(shape);
    const size = transactionSizeLimit(shape.version);
    fc.pre(limit > 0);
    const filled = encodedSize(shape, rest, limit);
    // At 128 bytes a memo takes one more for its length: then the byte before cannot be filled.
    const isAtStep = limit === 127 && shape.version !== 1;
    assert.ok(
      filled === size || (isAtStep && filled === size - 1),
      `${filled} of ${size} bytes with a memo of ${limit}`,
    );
    assert.ok(encodedSize(shape, rest, limit + 1) > size, `a memo of ${limit + 1} bytes fits, too`);
  });
  fc.assert(property, { numRuns: 1000 });
});

test('A memo that fits any transaction fits those of every shape without splits', () => {
  const property = fc.property(anyShape, (shape) => {
    const limit = roomOf({ ...shape, splits: [] });
    assert.ok(limit >= minMemoRoom, `room for ${limit} bytes`);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('Around 128 bytes, where the length of a memo takes a second byte, the limit is right at every step', () => {
  const request = requestOf();
  const rest = { tokenProgram, isAdvancedByPayer: false };
  for (const version of ['legacy', 0] as const) {
    const limits = new Set<number>();
    for (let strangers = 22; strangers <= 24; strangers++) {
      const references = Array.from({ length: strangers }, freshAddress);
      // A reference that the message has anyway adds one byte, its index: so the limit goes down one by one.
      for (let familiars = 0; familiars < 33; familiars++) {
        const list = [...references, ...Array.from({ length: familiars }, () => request.mint)];
        const shape: Shape = { ...request, version, references: list, setsComputeUnitLimit: false };
        const limit = roomOf(shape);
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
  const references = Array.from({ length: 40 }, freshAddress);
  const shape: Shape = { ...requestOf({ references }), setsComputeUnitLimit: false };
  const rest = { tokenProgram, isAdvancedByPayer: false };
  assert.equal(encodedSize(shape, rest, 0) - 1232, -roomOf(shape));
  assert.ok(roomOf(shape) < 0);
});

test('Where it depends on the chain whether token accounts are created, the room is that without them', () => {
  const splits = [{ to: freshAddress(), amount: 1n }];
  for (const version of ['legacy', 0, 1] as const) {
    const roomWith = (createTokenAccount: TokenAccountCreation): number =>
      memoRoom(requestOf({ version, splits, createTokenAccount }), false);
    assert.equal(roomWith('if_missing'), roomWith('never'));
    assert.ok(roomWith('always') < roomWith('never'));
  }
});

test('Splits to one recipient share its token account, which leaves more room than that of another', () => {
  const [one, other] = [freshAddress(), freshAddress()].map((to) => ({ to, amount: 1n }));
  assert.ok(one && other);
  const request = requestOf();
  const roomWith = (...splits: { to: Address; amount: bigint }[]): number => memoRoom({ ...request, splits }, false);
  assert.equal(roomWith(one, one) - roomWith(one, other), 32);
  assert.equal(roomWith({ ...one, to: request.to }) - roomWith(one), 32);
});

test('Whoever is paid takes the same room, also where the address is one that stands in for an unknown account', () => {
  const request = requestOf({ createTokenAccount: 'always' });
  const roomFor = (to: Address): number => memoRoom({ ...request, splits: [{ to, amount: 1n }] }, false);
  const usual = roomFor(freshAddress());
  for (let byte = 1; byte <= 10; byte++) {
    assert.equal(roomFor(addressFromBytes(new Uint8Array(32).fill(byte))), usual, `${byte}`);
  }
});
