import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressLookupTableAccount, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { freshAddress } from '../fixtures.ts';
import { blockhash, legacyBytes, payerKey, plan, versionedBytes, versionedMessage } from './sample-transactions.ts';

function refusal(message: RegExp): { name: string; message: RegExp } {
  return { name: 'TransactionDecodeError', message };
}

function decodesOrRefuses(bytes: Uint8Array): void {
  try {
    decodeTransaction(bytes);
  } catch (error) {
    assert.ok(error instanceof TransactionDecodeError, `threw ${error}`);
  }
}

/** The bytes with some of them replaced by others. */
function spliced(bytes: Uint8Array, start: number, deleteCount: number, ...inserted: number[]): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, start), ...inserted, ...bytes.subarray(start + deleteCount)]);
}

describe('bytes that are not a transaction are refused', () => {
  test('by a TransactionDecodeError, whatever they are', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 1300, size: 'max' }), (bytes) => decodesOrRefuses(bytes));
    fc.assert(property, { numRuns: 500 });
  });

  test('random bytes where a message should be', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), fc.nat({ max: 2 }), (bytes, count) => {
      decodesOrRefuses(Uint8Array.from([count, ...new Uint8Array(64 * count), ...bytes]));
    });
    fc.assert(property, { numRuns: 1000 });
  });

  test('small changes of real transactions', () => {
    const anyByte = fc.nat({ max: 255 });
    const edit = fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 3 }), fc.array(anyByte, { maxLength: 3 }));
    const property = fc.property(fc.boolean(), fc.array(edit, { maxLength: 4 }), (legacy, edits) => {
      const original = legacy ? legacyBytes : versionedBytes;
      decodesOrRefuses(
        edits.reduce((bytes, [at, count, inserted]) => spliced(bytes, at, count, ...inserted), original),
      );
    });
    fc.assert(property, { numRuns: 1000 });
  });

  test('a transaction that ends early, wherever it ends', () => {
    for (const bytes of [legacyBytes, versionedBytes]) {
      for (let length = 0; length < bytes.length; length++) {
        assert.throws(() => decodeTransaction(bytes.subarray(0, length)), refusal(/too early/));
      }
    }
  });

  test('a transaction that goes on after its end', () => {
    for (const bytes of [legacyBytes, versionedBytes]) {
      for (const extra of [[0], [1], [0, 0, 0]]) {
        const message = new RegExp(`^${extra.length} bytes follow`);
        assert.throws(() => decodeTransaction(Uint8Array.from([...bytes, ...extra])), refusal(message));
      }
    }
  });

  test('a compact length that is not in its shortest form', () => {
    const accountCountAt = 68;
    const count = legacyBytes[accountCountAt] ?? 0;
    const forms = [
      spliced(legacyBytes, accountCountAt, 1, count | 0x80, 0x00),
      spliced(legacyBytes, accountCountAt, 1, count | 0x80, 0x80, 0x00),
    ];
    for (const bytes of forms) assert.throws(() => decodeTransaction(bytes), refusal(/malformed/));
    // As its first byte it would announce version 1, which these bytes are not either.
    const announced = spliced(legacyBytes, 0, 1, 0x81, 0x00);
    assert.throws(() => decodeTransaction(announced), refusal(/./));
  });

  test('a compact length past 65,535', () => {
    for (const form of [
      [0xff, 0xff, 0x04],
      [0x80, 0x80, 0x80, 0x01],
      [0xff, 0xff, 0xff],
    ]) {
      assert.throws(() => decodeTransaction(spliced(legacyBytes, 0, 1, ...form)), refusal(/malformed/));
    }
  });

  test('a message of a version that is not known', () => {
    for (const version of [1, 2, 127]) {
      const bytes = spliced(versionedBytes, 65, 1, 0x80 | version);
      assert.throws(() => decodeTransaction(bytes), refusal(new RegExp(`version ${version} is not known`)));
    }
  });

  test('accounts from an address lookup table, which the bytes do not hold', () => {
    const table = new AddressLookupTableAccount({
      key: new PublicKey(freshAddress()),
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [new PublicKey(plan.mint), new PublicKey(plan.recipientTokenAccount)],
      },
    });
    const bytes = new VersionedTransaction(versionedMessage.compileToV0Message([table])).serialize();
    assert.throws(() => decodeTransaction(bytes), TransactionDecodeError);

    // Even a table that no instruction takes an account from.
    const unused = spliced(versionedBytes, versionedBytes.length - 1, 1, 1, ...new Uint8Array(32), 0, 0);
    assert.throws(() => decodeTransaction(unused), refusal(/address lookup tables/));
  });

  test('another number of signatures than of signers', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 65, 1, 2)), refusal(/1 signatures for 2 signers/));
    const twice = spliced(legacyBytes, 0, 1, 2, ...new Uint8Array(64));
    assert.throws(() => decodeTransaction(twice), refusal(/2 signatures for 1 signers/));
  });

  test('no signer', () => {
    const bytes = spliced(legacyBytes, 0, 66, 0, 0);
    assert.throws(() => decodeTransaction(bytes), refusal(/nobody signs/));
  });

  test('more signers than accounts', () => {
    const message = [2, 0, 0, 1, ...new Uint8Array(32).fill(5), ...new Uint8Array(32).fill(6), 0];
    const bytes = Uint8Array.from([2, ...new Uint8Array(128), ...message]);
    assert.throws(() => decodeTransaction(bytes), TransactionDecodeError);
  });

  test('a fee payer that is not writable, which the runtime refuses', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 66, 1, 1)), TransactionDecodeError);
  });

  test('more readonly accounts than there are', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 67, 1, 200)), TransactionDecodeError);
  });

  test('an instruction that uses an account that is not there', () => {
    const transaction = new Transaction({ feePayer: payerKey, recentBlockhash: blockhash } as const);
    transaction.add({ programId: new PublicKey(freshAddress()), keys: [], data: Buffer.alloc(0) });
    const bytes = transaction.serialize({ requireAllSignatures: false });
    const programIndexAt = bytes.length - 3;
    assert.equal(bytes[programIndexAt], 1);
    assert.throws(() => decodeTransaction(spliced(bytes, programIndexAt, 1, 2)), refusal(/account 2 of 2 is used/));
  });
});
