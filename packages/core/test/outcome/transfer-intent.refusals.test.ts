import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { systemProgram, token2022Program } from '../../src/addresses/programs.ts';
import { readTransferIntent } from '../../src/outcome/transfer-intent.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import { anyOptionPlan } from '../random-option-plans.ts';
import { freshAddress, legacyTransaction, planWith } from '../random-plans.ts';
import { intentOf } from './landed-transactions.ts';

function faultOf(bytes: Uint8Array): object {
  const read = readTransferIntent(bytes);
  assert.ok('fault' in read);
  return read.fault;
}

const blockhash = freshAddress();
const { sender } = planWith({});

describe('there is no intent', () => {
  const [first] = toMessage(planWith({}), blockhash).instructions.slice(-1);
  assert.ok(first);
  const withTwo = (parts: Partial<Instruction>): Uint8Array =>
    legacyTransaction(sender, [first, { ...first, ...parts }], blockhash);
  const otherAccount = (index: number): Partial<Instruction> => ({
    accounts: first.accounts.map((meta, at) => (at === index ? { ...meta, address: freshAddress() } : meta)),
  });
  const otherByte = (index: number): Partial<Instruction> => ({
    data: first.data.map((byte, at) => (at === index ? byte ^ 1 : byte)),
  });

  test('in bytes that are not a transaction, and it says why', () => {
    assert.deepEqual(faultOf(Uint8Array.of(1, 2, 3)), {
      kind: 'not_a_transaction',
      reason: 'the bytes end at 3, too early: 65 are needed',
    });
  });

  test('in more bytes than any transaction has', () => {
    const longest = (length: number): Instruction => ({
      program: systemProgram,
      accounts: [],
      data: new Uint8Array(length),
    });
    const empty = legacyTransaction(sender, [first, longest(0)], blockhash).length;
    // The length of so much data takes a byte more.
    const withData = (length: number): Uint8Array =>
      legacyTransaction(sender, [first, longest(length - empty - 1)], blockhash);
    assert.equal(intentOf(withData(4096)).payments.length, 1);
    assert.deepEqual(faultOf(withData(4097)), {
      kind: 'not_a_transaction',
      reason: 'no transaction has more than 4096 bytes: these are 4097',
    });
  });

  const noTransfers: Readonly<Record<string, Partial<Instruction>>> = {
    'an unchecked transfer': { data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0) },
    'another instruction of as many bytes': otherByte(0),
    'a transfer without its decimals': { data: first.data.slice(0, 9) },
    'a transfer without an authority': { accounts: first.accounts.slice(0, 3) },
    'the same bytes for another program': { program: freshAddress() },
  };
  for (const [name, parts] of Object.entries(noTransfers)) {
    test(`in ${name}`, () => {
      const bytes = legacyTransaction(sender, [{ ...first, ...parts }], blockhash);
      assert.deepEqual(faultOf(bytes), { kind: 'no_transfer' });
    });
  }

  test('in payments from several token accounts, or by several authorities', () => {
    assert.deepEqual(faultOf(withTwo(otherAccount(0))), { kind: 'several_sources' });
    assert.deepEqual(faultOf(withTwo(otherAccount(3))), { kind: 'several_sources' });
  });

  test('in payments in several mints, token programs or decimals', () => {
    assert.deepEqual(faultOf(withTwo(otherAccount(1))), { kind: 'several_mints' });
    assert.deepEqual(faultOf(withTwo({ program: token2022Program })), { kind: 'several_mints' });
    assert.deepEqual(faultOf(withTwo(otherByte(9))), { kind: 'several_mints' });
  });

  test('but there is one in payments of several amounts to several recipients', () => {
    assert.equal(intentOf(withTwo(otherAccount(2))).payments.length, 2);
    assert.equal(intentOf(withTwo(otherByte(1))).payments.length, 2);
  });

  test('and a transfer with more data than it needs is one, as for the token programs', () => {
    const longer = { ...first, data: Uint8Array.of(...first.data, 1) };
    assert.equal(intentOf(legacyTransaction(sender, [longer], blockhash)).payments[0]?.amount, 1_500_000n);
  });
});

test('Reading never throws: not for any bytes, nor for a transaction that is cut, prolonged or changed in one byte', () => {
  const anyBytes = fc.uint8Array({ maxLength: 400 });
  const anyChange = fc.record({ at: fc.nat(), value: fc.nat({ max: 255 }), end: fc.nat(), more: anyBytes });
  const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBytes, anyChange, (plan, bytes, change) => {
    const built = encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? blockhash));
    const changed = Uint8Array.from(built);
    changed[change.at % built.length] = change.value;
    const hostile = [
      bytes,
      changed,
      built.subarray(0, change.end % built.length),
      Uint8Array.of(...built, ...change.more),
    ];
    for (const each of hostile) assert.doesNotThrow(() => readTransferIntent(each));
  });
  fc.assert(property, { numRuns: 300 });
});
