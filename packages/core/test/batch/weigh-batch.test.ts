import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recentBlockhashesSysvar, systemProgram, token2022Program } from '../../src/addresses/programs.ts';
import { bytesOfInstruction, type WeighedFacts, type Weight, weighBatch } from '../../src/batch/weigh-batch.ts';
import type { AssociatedAccount } from '../../src/plan/transfer-facts.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshWallet, memoOf, plainMint } from '../fixtures.ts';
import { addressAt, batchFrom, plainOptions, type TransferParts, transfersTo, weighed } from './random-batches.ts';

const weightOf = ({ bytes, accounts, instructions, computeUnits }: Weight): Weight => {
  return { bytes, accounts, instructions, computeUnits };
};
const weigh = (...transfers: readonly Partial<TransferParts>[]) => weighed(transfersTo(...transfers));

/** Weighs one transfer to a recipient without a token account, whose address is as these parts say. */
function weighOne(parts: Partial<AssociatedAccount>, facts: Partial<WeighedFacts> = {}) {
  const batch = batchFrom(transfersTo({ exists: false }), plainOptions);
  const payments = batch.facts.payments.map((payment) => {
    return { ...payment, tokenAccount: { ...payment.tokenAccount, bump: 255, ...parts } };
  });
  const [transfer] = weighBatch(batch.request, { ...batch.facts, payments, ...facts }).transfers;
  assert.ok(transfer);
  return transfer;
}

const account = { bytes: 32, accounts: 1, instructions: 0, computeUnits: 0 };
const sharedAccount = { ...account, isCreate: false, isLimitProgram: false };
// The index of the program, two lengths, four accounts and ten bytes of data; and the recipient's token account.
const transferBytes = 17;
const alone = { bytes: transferBytes + 32, accounts: 1, instructions: 1, computeUnits: 6_300 };

describe('a transfer of a batch', () => {
  test('takes its instruction and its token account, and an account for each that it names alone', () => {
    const { transfers, shared } = weigh({}, { references: [7, 8] });
    assert.deepEqual(transfers.map(weightOf), [
      alone,
      { ...alone, bytes: alone.bytes + 2 * 33, accounts: alone.accounts + 2 },
    ]);
    assert.deepEqual(shared, []);
  });

  test('takes no account that every transaction has', () => {
    const [transfer] = weigh({ references: [1_001, 1_003] }).transfers;
    assert.deepEqual(transfer && weightOf(transfer), { ...alone, bytes: alone.bytes + 2 });
  });

  test('that creates a token account takes that instruction, its calls and units, the wallet and two programs', () => {
    const transfer = weighOne({ bump: 252 });
    assert.deepEqual(weightOf(transfer), {
      bytes: alone.bytes + 10 + 3 * 32,
      accounts: 4,
      instructions: 6,
      computeUnits: alone.computeUnits + 23_500 + 3 * 1_500,
    });
    assert.equal(transfer.creates, 1);
  });

  test('calls six instructions to create it where the address holds lamports, and five where those are enough', () => {
    const countWith = (lamports: bigint, occupant?: AssociatedAccount['occupant']): number =>
      weighOne({ lamports, occupant }).instructions;
    assert.deepEqual(
      [1n, 2_039_279n, 2_039_280n, 0n].map((lamports) => countWith(lamports)),
      [8, 8, 7, 6],
    );
    // Where another account is in the way the transfer is refused.
    assert.equal(countWith(1n, token2022Program), 6);
  });

  test('takes a create that calls nothing where there is an account, which is always to be created', () => {
    const [transfer] = weighed(transfersTo({}), { ...plainOptions, createTokenAccount: 'always' }).transfers;
    assert.equal(transfer?.instructions, 2);
  });

  test('with a memo takes that instruction and its program', () => {
    const memo = memoOf('größer');
    const [transfer, other] = weigh({ memo: memo.text }, {}).transfers;
    assert.deepEqual(transfer && weightOf(transfer), {
      bytes: alone.bytes + 4 + 8 + 32,
      accounts: 2,
      instructions: 2,
      computeUnits: alone.computeUnits + memo.computeUnits,
    });
    assert.deepEqual([transfer?.memoComputeUnits, other?.memoComputeUnits], [memo.computeUnits, undefined]);
    assert.deepEqual([transfer?.creates, other?.creates], [0, 0]);
  });

  test('takes the accounts of the hook, which calls four instructions', () => {
    const { request, facts } = batchFrom(transfersTo({}), plainOptions);
    const [payment] = facts.payments;
    assert.ok(payment);
    const [extra, program, validation] = [freshWallet(), freshWallet(), freshWallet()];
    const hookAccounts = [role.writable(extra), role.readonly(program), role.readonly(validation)];
    const mint = { ...plainMint, transferHookProgram: program };
    const { frame, transfers } = weighBatch(request, { ...facts, mint, payments: [{ ...payment, hookAccounts }] });
    assert.ok(frame.isHooked);
    assert.deepEqual(transfers.map(weightOf), [
      { bytes: alone.bytes + 3 * 33, accounts: 4, instructions: 1 + 1 + 4, computeUnits: 9_700 + 3 * 8_000 },
    ]);
  });
});

describe('what transfers of a batch share', () => {
  test('is an account that several name, of each transfer its own', () => {
    const pairs = [[7, 8], [7, 9], [8, 9], [7], []];
    const { transfers, shared } = weigh(...pairs.map((references) => ({ references })));
    assert.deepEqual(shared, [sharedAccount, sharedAccount, sharedAccount]);
    assert.deepEqual(
      transfers.map(({ shared: parts }) => parts),
      [[0, 1], [0, 2], [1, 2], [0], []],
    );
    assert.deepEqual(
      transfers.map(weightOf),
      [2, 2, 2, 1, 0].map((count) => ({ ...alone, bytes: alone.bytes + count })),
    );
  });

  test('is the creation of a token account that several pay, with its wallet and its programs', () => {
    const { transfers, shared } = weigh(
      { recipient: 1, exists: false },
      { recipient: 2, exists: false },
      { recipient: 1, exists: false },
    );
    // The token account, its wallet, the two programs, and the creation.
    assert.deepEqual(
      shared.slice(0, 4),
      Array.from({ length: 4 }, () => sharedAccount),
    );
    assert.partialDeepStrictEqual(shared.slice(4), [{ bytes: 10, accounts: 0, instructions: 5, isCreate: true }]);
    assert.deepEqual(
      transfers.map(({ shared: parts, creates }) => [parts, creates]),
      [
        [[0, 1, 2, 3, 4], 0],
        [[2, 3], 1],
        [[0, 1, 2, 3, 4], 0],
      ],
    );
  });

  test('is the program of compute limits, even if one transfer alone names it', () => {
    const { transfers, shared } = weigh({ references: [0] }, {});
    assert.deepEqual(shared, [{ ...sharedAccount, isLimitProgram: true }]);
    assert.deepEqual(
      transfers.map(({ shared: parts }) => parts),
      [[0], []],
    );
  });
});

test('every transaction of a batch has the accounts of its sponsor, sender, mint, token program and nonce', () => {
  const { request, facts } = batchFrom(transfersTo({}), {
    ...plainOptions,
    version: 1,
    isSponsored: true,
    hasNonce: true,
  });
  const { feePayer, from, mint, nonceAccount } = request;
  const { frame } = weighBatch({ ...request, priorityFee: { level: 'low' } }, facts);
  const { tokenProgram } = facts.mint;
  assert.deepEqual(frame, {
    version: 1,
    accounts: [
      feePayer,
      from,
      mint,
      tokenProgram,
      facts.senderTokenAccount.address,
      nonceAccount,
      recentBlockhashesSysvar,
      systemProgram,
    ],
    signatureCount: 2,
    paysPriorityFee: true,
    hasNonce: true,
    isHooked: false,
    paysSol: false,
    hasRoomForLimit: false,
  });
  assert.partialDeepStrictEqual(weigh({}).frame, {
    accounts: [from, mint, tokenProgram, addressAt(1_004)],
    signatureCount: 1,
  });
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
