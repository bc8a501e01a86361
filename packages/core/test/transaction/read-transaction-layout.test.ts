import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { readTransactionLayout } from '../../src/transaction/read-transaction-layout.ts';
import { freshAddress } from '../random-plans.ts';

const config = { priorityFee: 1n, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 };

/** A transaction of one instruction with one account and so many bytes of data. */
function transactionOf(version: 'legacy' | 0 | 1, dataLength: number): Uint8Array {
  const accounts = [role.writable(freshAddress())];
  const instructions = [{ program: freshAddress(), accounts, data: new Uint8Array(dataLength).fill(7) }];
  return encodeTransaction({ version, feePayer: freshAddress(), instructions, lifetimeToken: freshAddress(), config });
}

test('data of any length that a transaction has room for is found whole', () => {
  for (const version of ['legacy', 0, 1] as const) {
    for (const length of [0, 1, 127, 128, 255, 256, 300, 1_000]) {
      const bytes = transactionOf(version, length);
      const [instruction] = readTransactionLayout(bytes).instructions;
      assert.ok(instruction);
      const { dataOffset, dataLength } = instruction;
      assert.deepEqual(bytes.subarray(dataOffset, dataOffset + dataLength), new Uint8Array(length).fill(7));
    }
  }
});

test('an account or a program that the message does not have is refused', () => {
  for (const version of ['legacy', 0, 1] as const) {
    const bytes = transactionOf(version, 1);
    const { addressCount, instructions } = readTransactionLayout(bytes);
    const accountAt = instructions[0]?.accountsOffset ?? assert.fail('there is an instruction');
    const last = bytes.with(accountAt, addressCount - 1);
    assert.equal(readTransactionLayout(last).addressCount, addressCount);
    assert.throws(() => readTransactionLayout(bytes.with(accountAt, addressCount)), /account 3 of 3 is used/);
    // The index of the program stands before the number of accounts; in version 1, before those of the data too.
    const programAt = accountAt - (version === 1 ? 4 : 2);
    assert.throws(() => readTransactionLayout(bytes.with(programAt, addressCount)), /account 3 of 3 is used/);
  }
});
