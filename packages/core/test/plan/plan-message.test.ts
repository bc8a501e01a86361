import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoInstruction } from '@solana/spl-memo';
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
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
import { planInstructions, planSize, toMessage } from '../../src/plan/plan-message.ts';
import type { Payment, TransferPlan } from '../../src/plan/transfer-plan.ts';
import type { Memo } from '../../src/request/memo.ts';
import type { TokenAccountCreation, TransferLayout } from '../../src/request/transfer-request.ts';
import {
  encodeTransaction,
  type TransactionVersion,
  transactionSizeLimit,
} from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, memoOf, nonceOf, paymentOf, planWith, recipientOf, requestOf } from '../fixtures.ts';
import { anyAddress } from '../random-plans.ts';
import { thawOf } from '../thaw.ts';

const key = (address: string): PublicKey => new PublicKey(address);
const memo = memoOf('Rechnung 4711');
const [mint, reference, hookAccount, writableHookAccount] = Array.from({ length: 4 }, freshAddress);
assert.ok(mint && reference && hookAccount && writableHookAccount);

const plan = planWith({ mint, memo, feePayer: freshAddress(), computeUnitLimit: 123_456, computeUnitPrice: 2n ** 40n });
const split = paymentOf(plan, { recipient: freshAddress(), amount: 2n ** 63n + 7n });

// What the reference libraries make of the parts of a plan.
const advance = (nonce: NonNullable<TransferPlan['nonce']>): TransactionInstruction =>
  SystemProgram.nonceAdvance({ noncePubkey: key(nonce.account), authorizedPubkey: key(nonce.authority) });
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 123_456 });
const price = (microLamports: bigint): TransactionInstruction =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const text = createMemoInstruction(memo.text, [key(plan.sender)]);
const create = ({ recipient, recipientTokenAccount }: Payment): TransactionInstruction =>
  createAssociatedTokenAccountIdempotentInstruction(
    key(plan.feePayer),
    key(recipientTokenAccount),
    key(recipient),
    key(mint),
    key(plan.tokenProgram),
  );
function transfer({ recipientTokenAccount, amount }: Payment, ...others: { address: string; writable: boolean }[]) {
  const [source, destination, owner] = [plan.senderTokenAccount, recipientTokenAccount, plan.sender].map(key);
  assert.ok(source && destination && owner);
  const program = key(plan.tokenProgram);
  const made = createTransferCheckedInstruction(source, key(mint ?? ''), destination, owner, amount, 6, [], program);
  for (const { address, writable } of others) {
    made.keys.push({ pubkey: key(address), isSigner: false, isWritable: writable });
  }
  return made;
}

function assertInstructions(of: TransferPlan, expected: readonly TransactionInstruction[]): void {
  assert.deepEqual(
    planInstructions(of).map(({ program, accounts, data }) => ({ program, accounts, data: [...data] })),
    expected.map(({ programId, keys, data }) => ({
      program: programId.toBase58(),
      accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
        address: pubkey.toBase58(),
        signer: isSigner,
        writable: isWritable,
      })),
      data: [...data],
    })),
  );
}

test('a bare transfer is one instruction', () => {
  const bare = changed(plan, { memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n });
  assertInstructions(bare, [transfer(recipientOf(bare))]);
});

test('a nonce is advanced first, the compute budget follows, and the memo stands directly before the transfer', () => {
  const nonce = nonceOf(freshAddress());
  assertInstructions(changed(plan, { nonce }), [
    advance(nonce),
    limit,
    price(2n ** 40n),
    text,
    transfer(recipientOf(plan)),
  ]);
  assertInstructions(changed(plan, { computeUnitPrice: 1n }), [limit, price(1n), text, transfer(recipientOf(plan))]);
  assertInstructions(changed(plan, { computeUnitPrice: 0n }), [limit, text, transfer(recipientOf(plan))]);
});

test('in version 1 no instruction sets the compute budget', () => {
  assertInstructions(changed(plan, { version: 1 }), [text, transfer(recipientOf(plan))]);
  assertInstructions(changed(plan, { version: 0 }), [limit, price(2n ** 40n), text, transfer(recipientOf(plan))]);
});

test('splits come before the payment itself, each after the token account that it creates', () => {
  const budget = [limit, price(2n ** 40n)];
  const created = { ...split, createsRecipientTokenAccount: true };
  assertInstructions(changed(plan, { splits: [split] }), [
    ...budget,
    transfer(split),
    text,
    transfer(recipientOf(plan)),
  ]);
  assertInstructions(changed(plan, { createsRecipientTokenAccount: true, splits: [created, split] }), [
    ...budget,
    create(created),
    transfer(created),
    transfer(split),
    create(recipientOf(plan)),
    text,
    transfer(recipientOf(plan)),
  ]);
});

test('a split may have a memo of its own, directly before its transfer, and references of its own', () => {
  const bare = changed(plan, { memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n });
  assertInstructions(changed(bare, { splits: [{ ...split, memo, references: [reference] }, split] }), [
    text,
    transfer(split, { address: reference, writable: false }),
    transfer(split),
    transfer(recipientOf(bare)),
  ]);
});

test('a thaw follows the creation of its token account, and comes before the memo', () => {
  const thaw = thawOf(1);
  const { configuration, flag, gateProgram, gateAccounts } = thaw;
  const [signs, isWritable] = [true, true];
  const keys: [address: string, isSigner: boolean, isWritable: boolean][] = [
    [plan.sender, signs, false],
    [mint, false, false],
    [recipientOf(plan).recipientTokenAccount, false, isWritable],
    [flag, false, isWritable],
    [recipientOf(plan).recipient, false, false],
    [configuration, false, false],
    [plan.tokenProgram, false, false],
    [systemProgram, false, false],
    [gateProgram, false, false],
    ...gateAccounts.map((address): [string, boolean, boolean] => [address, false, false]),
  ];
  const thawing = new TransactionInstruction({
    programId: key('TACLkU6CiCdkQN2MjoyDkVg2yAH9zkxiHDsiztQ52TP'),
    keys: keys.map(([address, isSigner, writable]) => ({ pubkey: key(address), isSigner, isWritable: writable })),
    data: Buffer.of(9),
  });
  const bare = changed(plan, { computeUnitLimit: undefined, computeUnitPrice: 0n, thaw });
  assertInstructions(bare, [thawing, text, transfer(recipientOf(bare))]);
  assertInstructions(changed(bare, { createsRecipientTokenAccount: true, splits: [split] }), [
    transfer(split),
    create(recipientOf(bare)),
    thawing,
    text,
    transfer(recipientOf(bare)),
  ]);
});

test('references follow the accounts of their transfer, and what a hook needs follows them', () => {
  const hookAccounts = [role.readonly(hookAccount), role.writable(writableHookAccount)];
  const own = [
    { address: hookAccount, writable: false },
    { address: writableHookAccount, writable: true },
  ];
  const others = [{ address: reference, writable: false }, ...own];
  const bare = changed(plan, { memo: undefined, computeUnitLimit: undefined, computeUnitPrice: 0n });
  assertInstructions(changed(bare, { references: [reference], hookAccounts, splits: [{ ...split, hookAccounts }] }), [
    transfer(split, ...own),
    transfer(recipientOf(bare), ...others),
  ]);
});

test('the x402 layout sets a price even of 0, and has the memo last', () => {
  const x402 = changed(plan, { layout: 'x402' });
  assertInstructions(x402, [limit, price(2n ** 40n), transfer(recipientOf(plan)), text]);
  assertInstructions(changed(x402, { computeUnitPrice: 0n, memo: undefined }), [
    limit,
    price(0n),
    transfer(recipientOf(plan)),
  ]);
});

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
  .map(({ wallets, payer, hasPriorityFee, splits, isSplitRepeated, strangers, familiars, ...given }) => {
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
      given.nonceAccount,
      addressFromBytes(new Uint8Array(32).fill(1)),
      addressFromBytes(new Uint8Array(32).fill(3)),
    ];
    const references = [...strangers, ...familiars.map((index) => known[index])]
      .filter((reference) => reference !== undefined)
      .slice(-10);
    const priorityFee = hasPriorityFee ? { microLamportsPerComputeUnit: 1n } : undefined;
    const shape: Shape = {
      ...given,
      from,
      to,
      mint,
      feePayer,
      priorityFee,
      splits: (isSplitRepeated ? [...splits.slice(1), to, to] : splits).map((other) => ({ to: other, amount: 1n })),
      references,
    };
    if (given.layout === 'default') return shape;
    const x402Version = given.version === 1 ? 0 : given.version;
    return { ...shape, createTokenAccount: 'never', version: x402Version, nonceAccount: undefined, splits: [] };
  });
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
  fc.assert(property, { numRuns: propertyRuns(1000) });
});

test('A memo that fits any transaction fits those of every shape without splits', () => {
  const property = fc.property(anyShape, (shape) => {
    const limit = roomOf({ ...shape, splits: [] });
    assert.ok(limit >= minMemoRoom, `room for ${limit} bytes`);
  });
  fc.assert(property, { numRuns: propertyRuns(2000) });
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

test('Whoever is paid takes the same room, also where the address is one that stands in for an unknown account', () => {
  const request = requestOf({ createTokenAccount: 'always' });
  const roomFor = (to: Address): number => memoRoom({ ...request, splits: [{ to, amount: 1n }] }, false);
  const usual = roomFor(freshAddress());
  for (let byte = 1; byte <= 10; byte++) {
    assert.equal(roomFor(addressFromBytes(new Uint8Array(32).fill(byte))), usual, `${byte}`);
  }
});

test('a message has its limits in the header in version 1 alone, and only where they are decided', () => {
  const lifetime = freshAddress();
  for (const version of ['legacy', 0, 1] as const) {
    const limited = toMessage(planWith({ version, computeUnitLimit: 7, priorityFee: 3n }), lifetime);
    const limits = { priorityFee: 3n, computeUnitLimit: 7, loadedAccountsDataSizeLimit: 67_108_864 };
    assert.deepEqual(limited.config, version === 1 ? limits : undefined);
    assert.equal(toMessage(planWith({ version, computeUnitLimit: undefined }), lifetime).config, undefined);
  }
});
