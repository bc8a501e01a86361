import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Address } from '../../src/addresses/address.ts';
import { recentBlockhashesSysvar, systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import type { BatchTransfer } from '../../src/batch/batch-request.ts';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import type { Parcel } from '../../src/packing/weights/parcel.ts';
import type { ReadPayment } from '../../src/plan/transfer-facts.ts';
import { role } from '../../src/transaction/instruction.ts';
import { associatedAccount, freshWallet, memoOf, nonceOf, plainMint } from '../fixtures.ts';
import { batchRequestOf } from './batch-scene.ts';
import { batchFrom, plainOptions, transfersTo } from './random-batches.ts';

const request = batchRequestOf([{}]);
const { facts } = batchFrom(transfersTo({ recipient: 1 }), plainOptions);
const [existing] = facts.payments;
assert.ok(existing);
const missing: ReadPayment = { ...existing, tokenAccount: { ...existing.tokenAccount, state: undefined } };
const paying = (payment: ReadPayment, parts: Partial<BatchTransfer>): ReadPayment => ({
  ...payment,
  payee: { ...payment.payee, ...parts, amount: 1n },
});
const rent = 2_039_280n;
const parcelWith = (payment: ReadPayment, bump = 254, mint = plainMint): Parcel => {
  const tokenAccount = { ...payment.tokenAccount, bump };
  return parcelOf({ ...payment, tokenAccount }, request, { mint, tokenAccountRent: rent });
};

describe('a transfer takes of a transaction', () => {
  it('one instruction and its measured units to an account that is there, and a create that calls nothing', () => {
    assert.deepEqual(parcelWith(existing), {
      recipient: existing.payee.to,
      recipientTokenAccount: existing.tokenAccount.address,
      createsTokenAccount: false,
      furtherAccounts: [],
      memoByteLength: undefined,
      computeUnits: 6_300,
      memoComputeUnits: 0,
      createComputeUnits: 4_600 + 1_500,
      instructionCount: 1,
      createInstructionCount: 1,
    });
  });

  it('a create that calls four instructions to make the account, each try of a bump in its units', () => {
    assert.partialDeepStrictEqual(parcelWith(missing, 252), {
      createsTokenAccount: true,
      computeUnits: 6_300,
      createComputeUnits: 23_500 + 3 * 1_500,
      createInstructionCount: 5,
    });
  });

  it('a create that calls six where the address holds lamports already, and five where those are enough', () => {
    const countFor = (lamports: bigint, occupant?: Address): number =>
      parcelWith({ ...missing, tokenAccount: associatedAccount({ lamports, occupant }) }).createInstructionCount;
    assert.equal(countFor(1n), 7);
    assert.equal(countFor(rent - 1n), 7);
    assert.equal(countFor(rent), 6);
    assert.equal(countFor(0n), 5);
    // Where another account is in the way the transfer is refused.
    assert.equal(countFor(1n, tokenProgram), 5);
  });

  it('an instruction, bytes and units for its memo', () => {
    const memo = memoOf('größer');
    assert.partialDeepStrictEqual(parcelWith(paying(existing, { memo })), {
      memoByteLength: 8,
      computeUnits: 6_300 + memo.computeUnits,
      memoComputeUnits: memo.computeUnits,
      instructionCount: 2,
    });
  });

  it('its references, and the accounts of the hook, which calls four instructions', () => {
    const [reference, extra, program, validation] = [freshWallet(), freshWallet(), freshWallet(), freshWallet()];
    const hookAccounts = [role.writable(extra), role.readonly(program), role.readonly(validation)];
    const hooked = { ...plainMint, transferHookProgram: program };
    const payment = { ...paying(existing, { references: [reference], memo: memoOf('m') }), hookAccounts };
    const parcel = parcelWith(payment, 255, hooked);
    assert.deepEqual(parcel.furtherAccounts, [reference, extra, program, validation]);
    assert.equal(parcel.instructionCount, 1 + 1 + 1 + 4);
    assert.equal(parcel.computeUnits - parcel.memoComputeUnits, 9_700 + 3 * 8_000);
  });
});

describe('every transaction of a batch', () => {
  const senderTokenAccount = associatedAccount();

  it('has the accounts of its sender, mint and token program', () => {
    const { from, mint } = request;
    assert.deepEqual(frameOf(request, { mint: plainMint, senderTokenAccount, nonce: undefined }), {
      version: 'legacy',
      accounts: [from, mint, tokenProgram, senderTokenAccount.address],
      signatureCount: 1,
      paysPriorityFee: false,
      hasNonce: false,
      isHooked: false,
      hasRoomForLimit: false,
    });
  });

  it('has those of its sponsor and of its nonce, too', () => {
    const feePayer = freshWallet();
    const nonce = nonceOf(feePayer);
    const sponsored = { ...request, feePayer, version: 1, priorityFee: { level: 'low' } } as const;
    const hooked = { ...plainMint, transferHookProgram: freshWallet() };
    assert.deepEqual(frameOf(sponsored, { mint: hooked, senderTokenAccount, nonce }), {
      version: 1,
      accounts: [
        feePayer,
        request.from,
        request.mint,
        tokenProgram,
        senderTokenAccount.address,
        nonce.account,
        recentBlockhashesSysvar,
        systemProgram,
      ],
      signatureCount: 2,
      paysPriorityFee: true,
      hasNonce: true,
      isHooked: true,
      hasRoomForLimit: false,
    });
  });
});
