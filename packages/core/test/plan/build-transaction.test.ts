import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isSignerRole,
  isWritableRole,
} from '@solana/kit';
import { Message, Transaction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { memoProgram } from '../../src/addresses/programs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, memoOf, planWith, withTokenAccounts } from '../fixtures.ts';
import { anyBlockhash, anyPlan } from '../random-plans.ts';
import {
  instructionsOf,
  type PlainInstruction,
  rolesOf,
  witnessInstructions,
  witnessMessage,
} from '../witness-transaction.ts';

const noSignature = '00'.repeat(64);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function assertWeb3ReadsThePlan(bytes: Uint8Array, plan: TransferPlan, expected: Message): void {
  const blockhash = expected.recentBlockhash;
  const message = Message.from(bytes.subarray(65));
  assert.deepEqual(instructionsOf(message), instructionsOf(expected));
  assert.deepEqual(rolesOf(message), rolesOf(expected));
  assert.deepEqual(message.header, expected.header);
  assert.equal(message.recentBlockhash, blockhash);
  assert.equal(message.accountKeys[0]?.toBase58(), plan.feePayer);

  const transaction = Transaction.from(bytes);
  assert.equal(transaction.feePayer?.toBase58(), plan.feePayer);
  assert.equal(transaction.recentBlockhash, blockhash);
  assert.deepEqual(
    transaction.signatures.map(({ publicKey, signature }) => [publicKey.toBase58(), signature]),
    [[plan.feePayer, null]],
  );
  const parts = ({ programId, data, keys }: Transaction['instructions'][number]): string[] => {
    return [programId.toBase58(), hex(data), ...keys.map(({ pubkey }) => pubkey.toBase58())];
  };
  assert.deepEqual(transaction.instructions.map(parts), witnessInstructions(plan).map(parts));

  const versioned = VersionedTransaction.deserialize(bytes);
  assert.equal(versioned.version, 'legacy');
  assert.deepEqual(versioned.signatures.map(hex), [noSignature]);
  assert.equal(hex(versioned.serialize()), hex(bytes));
}

function assertKitReadsThePlan(bytes: Uint8Array, plan: TransferPlan, expected: Message): void {
  const transaction = getTransactionDecoder().decode(bytes);
  assert.deepEqual(transaction.signatures, { [plan.feePayer]: null });
  const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  assert.ok(compiled.version === 'legacy', 'kit reads a legacy message');
  const message = decompileTransactionMessage(compiled);
  assert.equal(message.feePayer.address, plan.feePayer);
  assert.deepEqual('lifetimeConstraint' in message && message.lifetimeConstraint, {
    blockhash: expected.recentBlockhash,
    lastValidBlockHeight: 0xffffffffffffffffn,
  });
  const plain = message.instructions.map(
    ({ programAddress, accounts = [], data }): PlainInstruction => ({
      program: programAddress,
      accounts: accounts.map(({ address, role }) => ({
        address,
        signer: isSignerRole(role),
        writable: isWritableRole(role),
      })),
      data: hex(Uint8Array.from(data ?? [])),
    }),
  );
  assert.deepEqual(plain, instructionsOf(expected));
}

test('the buffer of a transaction holds nothing else', () => {
  const property = fc.property(anyPlan, anyBlockhash, (plan, blockhash) => {
    const bytes = buildTransaction(plan, blockhash);
    assert.equal(bytes.buffer.byteLength, bytes.length);
  });
  fc.assert(property);
});

test('whatever the plan, web3.js and kit read from the bytes what the reference libraries would have built', () => {
  const property = fc.property(anyPlan, anyBlockhash, (plan, blockhash) => {
    const bytes = buildTransaction(plan, blockhash);
    assert.equal(hex(bytes.subarray(0, 65)), `01${noSignature}`);
    const expected = witnessMessage(plan, blockhash);
    assertWeb3ReadsThePlan(bytes, plan, expected);
    assertKitReadsThePlan(bytes, plan, expected);
    assert.equal(bytes.length, 65 + expected.serialize().length);
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
});

test('an account with two roles is written once, with the stronger one', () => {
  const [sender, recipient] = [freshAddress(), freshAddress()];
  const [base] = fc.sample(anyPlan, { numRuns: 1, seed: 1 });
  assert.ok(base);
  const blockhash = freshAddress();
  const hookAccounts = [role.readonly(sender), role.writable(recipient), role.readonly(recipient)];
  for (const twice of [{ mint: recipient }, { mint: memoProgram }, { recipient: memoProgram }, { hookAccounts }]) {
    const plan = withTokenAccounts(changed(base, { splits: [], feePayer: sender, sender, recipient, ...twice }));
    for (const createsRecipientTokenAccount of [true, false]) {
      const both = changed(plan, { createsRecipientTokenAccount });
      assertWeb3ReadsThePlan(buildTransaction(both, blockhash), both, witnessMessage(both, blockhash));
    }
  }
});

test('a transaction that fills a packet to its last byte is built, and one byte more throws', () => {
  const lifetime = freshAddress();
  const plan = planWith({ memo: memoOf('a'.repeat(500)) });
  const room = transactionSizeLimit('legacy') - buildTransaction(plan, lifetime).length;
  const longest = changed(plan, { memo: memoOf('a'.repeat(500 + room)) });
  assert.equal(buildTransaction(longest, lifetime).length, 1_232);
  const tooLong = changed(plan, { memo: memoOf('a'.repeat(501 + room)) });
  assert.throws(() => buildTransaction(tooLong, lifetime), /^RangeError: a transaction of 1233 bytes/);
});

test('a text that is not a blockhash is refused', () => {
  const [plan] = fc.sample(anyPlan, 1);
  assert.ok(plan);
  for (const blockhash of ['', 'abc', '0'.repeat(44)])
    assert.throws(() => buildTransaction(plan, blockhash), TypeError);
});
