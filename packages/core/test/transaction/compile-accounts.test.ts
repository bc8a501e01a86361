import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import { freshAddress } from '../random-plans.ts';

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
