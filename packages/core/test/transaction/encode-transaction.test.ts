import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import {
  encodeTransaction,
  maxAccountCount,
  transactionSize,
  transactionSizeLimit,
} from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import { freshAddress } from '../fixtures.ts';

test('the header of version 1 has a priority fee from one lamport on, in eight bytes', () => {
  const message = (priorityFee: bigint) => ({
    version: 1 as const,
    feePayer: freshAddress(),
    instructions: [],
    lifetimeToken: freshAddress(),
    config: { priorityFee, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 },
  });
  const withoutFee = transactionSize(message(0n));
  for (const [priorityFee, size] of [
    [0n, withoutFee],
    [1n, withoutFee + 8],
    [2n ** 64n - 1n, withoutFee + 8],
  ] as const) {
    const bytes = encodeTransaction(message(priorityFee));
    assert.deepEqual([bytes.length, transactionSize(message(priorityFee))], [size, size]);
    const { config } = decodeTransaction(bytes);
    assert.deepEqual(config, { priorityFee, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 });
  }
});

test('a message of version 1 without limits is not encoded', () => {
  const message = { version: 1, feePayer: freshAddress(), instructions: [], config: undefined } as const;
  assert.throws(() => encodeTransaction({ ...message, lifetimeToken: freshAddress() }), /needs limits/);
});

test('validators take 1,232 bytes, of version 1 they take 4,096, and 64 accounts', () => {
  const limits = (['legacy', 0, 1] as const).map(transactionSizeLimit);
  assert.deepEqual([...limits, maxAccountCount], [1_232, 1_232, 4_096, 64]);
});

// So few that most are used more than once, in several roles and as programs, too.
const addresses = Array.from({ length: 6 }, freshAddress);
const anyAddress = fc.constantFrom(...addresses);

const anyInstruction: fc.Arbitrary<Instruction> = fc.record({
  program: anyAddress,
  accounts: fc.array(fc.record({ address: anyAddress, signer: fc.boolean(), writable: fc.boolean() }), {
    maxLength: 4,
  }),
  data: fc.uint8Array({ maxLength: 3 }),
});

test('each account is there once, with every role that any instruction gives it, as the library reads the bytes', () => {
  const property = fc.property(
    anyAddress,
    fc.array(anyInstruction, { maxLength: 4 }),
    fc.constantFrom('legacy' as const, 0 as const),
    (feePayer, instructions, version) => {
      const lifetimeToken = freshAddress();
      const bytes = encodeTransaction({ version, feePayer, instructions, lifetimeToken, config: undefined });
      const { message } = VersionedTransaction.deserialize(bytes);
      const keys = message.staticAccountKeys.map((key) => key.toBase58());
      const uses = instructions.flatMap(({ program, accounts }) => [
        ...accounts,
        { address: program, signer: false, writable: false },
      ]);
      const roles = new Map([[feePayer, { signer: true, writable: true }]]);
      for (const { address, signer, writable } of uses) {
        const { signer: signed, writable: written } = roles.get(address) ?? { signer: false, writable: false };
        roles.set(address, { signer: signed || signer, writable: written || writable });
      }
      const read = keys.map((key, index) => ({
        key,
        signer: message.isAccountSigner(index),
        writable: message.isAccountWritable(index),
      }));
      const wanted = [...roles].map(([key, role]) => ({ key, ...role }));
      const byKey = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : 1);
      assert.deepEqual(read.sort(byKey), wanted.sort(byKey));
      assert.equal(keys[0], feePayer);
      assert.deepEqual(
        message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
          program: keys[programIdIndex],
          accounts: accountKeyIndexes.map((index) => keys[index]),
          data: Uint8Array.from(data),
        })),
        instructions.map(({ program, accounts, data }) => ({
          program,
          accounts: accounts.map(({ address }) => address),
          data,
        })),
      );
    },
  );
  fc.assert(property, { numRuns: 300 });
});
