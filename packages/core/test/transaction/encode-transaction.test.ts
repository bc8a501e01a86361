import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { encodeTransaction, transactionSize, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, memoOf, nonceOf, planWith } from '../fixtures.ts';
import { anyBlockhash, anyOptionPlan } from '../random-plans.ts';
import { compileWithKit, toKitInstruction, transactionOf } from '../witness-transaction.ts';

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
  fc.assert(property, { numRuns: propertyRuns(300) });
});

/** What kit reads in a message: its meaning, whatever the order of its accounts. */
function meaningOf(messageBytes: Uint8Array): object {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { lifetimeConstraint: _, ...message } = decompileTransactionMessage(compiled);
  return { ...message, header: compiled.header, lifetimeToken: compiled.lifetimeToken };
}

/** The message of an unsigned transaction, once it is sure that nothing but empty signatures stands beside it. */
function messageBytesOf(transaction: Uint8Array, version: UnsignedMessage['version'], signers: number): Uint8Array {
  const isFirst = version === 1;
  const signatures = isFirst ? transaction.subarray(-64 * signers) : transaction.subarray(1, 1 + 64 * signers);
  assert.ok(signatures.every((byte) => byte === 0));
  if (isFirst) return transaction.subarray(0, -64 * signers);
  assert.equal(transaction[0], signers);
  return transaction.subarray(1 + 64 * signers);
}

for (const version of ['legacy', 0, 1] as const) {
  describe(`a message of version ${version}`, () => {
    test('means to kit what it would if kit had compiled it', () => {
      const property = fc.property(anyOptionPlan(version), anyBlockhash, (plan, hash) => {
        const message = toMessage(plan, plan.nonce?.nonce ?? hash);
        const signers = new Set([plan.feePayer, plan.sender]).size;
        const ours = messageBytesOf(encodeTransaction(message), version, signers);
        const theirs = compileWithKit(message);
        assert.deepEqual(meaningOf(ours), meaningOf(theirs));
        assert.equal(ours.length, theirs.length);
      });
      fc.assert(property, { numRuns: propertyRuns(150) });
    });

    test('is read back from the bytes that kit makes of it', () => {
      const property = fc.property(anyOptionPlan(version), anyBlockhash, (plan, hash) => {
        const message = toMessage(plan, plan.nonce?.nonce ?? hash);
        const signers = [...new Set([plan.feePayer, plan.sender])];
        const decoded = decodeTransaction(transactionOf(compileWithKit(message), version, signers.length));
        const { instructions, ...rest } = decodeTransaction(encodeTransaction(message));
        assert.deepEqual(decoded.instructions, instructions);
        for (const part of ['version', 'signers', 'blockhash', 'config', 'byteLength'] as const) {
          assert.deepEqual(decoded[part], rest[part], part);
        }
        assert.deepEqual([decoded.version, decoded.signers, decoded.config], [version, signers, message.config]);
      });
      fc.assert(property, { numRuns: propertyRuns(100) });
    });
  });
}

describe('decoding version 1', () => {
  const maskAt = 4;
  const plan = planWith({ version: 1, computeUnitLimit: 60_000, priorityFee: 77n, memo: memoOf('m') });
  const bytes = encodeTransaction(toMessage(plan, freshAddress()));
  const withMask = (mask: number): Uint8Array => {
    const changed = Uint8Array.from(bytes);
    new DataView(changed.buffer).setUint32(maskAt, mask, true);
    return changed;
  };
  const refuse = (changed: Uint8Array, message: RegExp): void =>
    assert.throws(() => decodeTransaction(changed), { name: TransactionDecodeError.name, message });

  test('refuses bytes that end early, wherever that is, and bytes that go on', () => {
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => decodeTransaction(bytes.subarray(0, length)), TransactionDecodeError, String(length));
    }
    refuse(Uint8Array.from([...bytes, 0]), /1 bytes follow the end/);
  });

  test('refuses half a priority fee, as kit does, and settings that it does not know', () => {
    for (const half of [0b1101, 0b1110]) {
      refuse(withMask(half), /half a priority fee/);
      const message = withMask(half).subarray(0, -64);
      assert.throws(() => getCompiledTransactionMessageDecoder().decode(message));
    }
    for (const mask of [0b10_0000, 0b10_1111, 0x8000_000f, 0xffff_ffff])
      refuse(withMask(mask), /settings that are not known/);
  });

  test('reads what the mask leaves out as zero, and reads over a heap size', () => {
    const message = toMessage(planWith({ version: 1, computeUnitLimit: 9 }), freshAddress());
    assert.ok(message.config);
    const unlimited = { ...message, config: { ...message.config, priorityFee: 0n } };
    assert.deepEqual(decodeTransaction(encodeTransaction(unlimited)).config, unlimited.config);
    const payer = address(message.feePayer);
    const lifetime = { blockhash: blockhash(message.lifetimeToken), lastValidBlockHeight: 0n };
    for (const heapSize of [undefined, 65_536]) {
      const kit = pipe(
        createTransactionMessage({ version: 1 }),
        (empty) => setTransactionMessageFeePayer(payer, empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
        (alive) => (heapSize === undefined ? alive : setTransactionMessageConfig({ heapSize }, alive)),
        (sized) => appendTransactionMessageInstructions(message.instructions.map(toKitInstruction), sized),
      );
      const compiled = getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(kit));
      const decoded = decodeTransaction(transactionOf(Uint8Array.from(compiled), 1, 1));
      const none = { priorityFee: 0n, computeUnitLimit: 0, loadedAccountsDataSizeLimit: 0 };
      assert.deepEqual(decoded.config, none);
      assert.equal(decoded.instructions.length, message.instructions.length);
    }
  });

  test('reads a priority fee without limits', () => {
    const fee = [7, 0, 0, 0, 0, 0, 0, 0];
    const keys = new Uint8Array(32).fill(5);
    const message = [0x81, 1, 0, 0, 0b0011, 0, 0, 0, ...keys, 0, 1, ...keys, ...fee];
    const { config } = decodeTransaction(Uint8Array.from([...message, ...new Uint8Array(64)]));
    assert.deepEqual(config, { priorityFee: 7n, computeUnitLimit: 0, loadedAccountsDataSizeLimit: 0 });
  });

  test('reads the signatures after the message, one for each signer', () => {
    const sponsored = changed(plan, { feePayer: freshAddress(), nonce: nonceOf(plan.sender) });
    const unsigned = encodeTransaction(toMessage(sponsored, sponsored.nonce?.nonce ?? ''));
    const signed = Uint8Array.from(unsigned);
    signed.fill(1, unsigned.length - 128, unsigned.length - 64);
    signed.fill(2, unsigned.length - 64);
    const { signatures, signers, message } = decodeTransaction(signed);
    assert.deepEqual(message, unsigned.subarray(0, -128));
    assert.deepEqual(
      signatures.map((signature) => signature[0]),
      [1, 2],
    );
    assert.deepEqual(signers, [sponsored.feePayer, sponsored.sender]);
  });
});
