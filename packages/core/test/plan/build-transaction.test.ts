import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Message } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { changed, freshAddress, memoOf, planWith } from '../fixtures.ts';
import { anyBlockhash, anyPlan } from '../random-plans.ts';
import { instructionsOf, rolesOf, witnessMessage } from '../witness-transaction.ts';

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
}

test('whatever the plan, web3.js reads from the bytes what the reference libraries would have built', () => {
  const property = fc.property(anyPlan, anyBlockhash, (plan, blockhash) => {
    const bytes = buildTransaction(plan, blockhash);
    assert.equal(hex(bytes.subarray(0, 65)), `01${noSignature}`);
    const expected = witnessMessage(plan, blockhash);
    assertWeb3ReadsThePlan(bytes, plan, expected);
    assert.equal(bytes.length, 65 + expected.serialize().length);
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
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
