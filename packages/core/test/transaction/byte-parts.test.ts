import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCompiledTransactionMessageDecoder } from '@solana/kit';
import fc from 'fast-check';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { bytePartsOf } from '../../src/transaction/byte-parts.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { anyOptionPlan } from '../random-option-plans.ts';
import { anyBlockhash } from '../random-plans.ts';

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
  it('follow one another without a gap, to the last byte', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        let end = 0;
        for (const { offset, length } of bytePartsOf(bytes)) {
          assert.equal(offset, end);
          assert.ok(length > 0);
          end += length;
        }
        assert.equal(end, bytes.length);
      }),
      { numRuns: 300 },
    );
  });

  it('are where kit finds the same things', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
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
      { numRuns: 300 },
    );
  });

  it('name the fields of the data of a transfer', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        const fields = bytePartsOf(bytes).flatMap((part) => (part.kind === 'data' ? [part] : []));
        const amounts = fields.filter(({ field }) => field === 'amount');
        assert.ok(amounts.length > 0);
        for (const amount of amounts) {
          assert.equal(amount.length, 8);
          const own = fields.filter(({ instruction }) => instruction === amount.instruction);
          assert.deepEqual(
            own.map(({ field }) => field),
            ['discriminator', 'amount', 'decimals'],
          );
        }
      }),
    );
  });

  it('are of transactions only', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(100), Uint8Array.of(1, 2, 3)]) {
      assert.throws(() => bytePartsOf(bytes), TransactionDecodeError);
    }
  });
});
