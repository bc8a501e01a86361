import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { isAddressOnCurve } from '../../src/addresses/known-addresses.ts';
import { type BatchInputs, validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import { finish } from '../../src/plan/steps.ts';
import { freshWallet } from '../fixtures.ts';

const [from, mint, bob] = [freshWallet(), freshWallet(), freshWallet()];
const good = { to: bob, amount: '5' };
const inputs = { from, mint, createTokenAccount: 'if_missing', transfers: [good] } as const;

const offCurve = Array.from({ length: 50 }, (_, index) => addressFromBytes(new Uint8Array(32).fill(index))).find(
  (address) => !isAddressOnCurve(address),
);

function faultsOf(changes: Partial<BatchInputs>): [string, unknown][] {
  const { request, findings } = finish(validateBatchRequest({ ...inputs, ...changes }));
  assert.equal(request, undefined);
  return findings.map(({ code, field }) => [code, field]);
}

describe('a batch as texts', () => {
  it('is parsed with its options, each transfer in its place', () => {
    const reference = freshWallet();
    const { request, findings } = finish(
      validateBatchRequest({
        ...inputs,
        transactionVersion: 1,
        transfers: [good, { to: bob, amountDecimal: '1.5', memo: 'rent', references: [reference] }],
      }),
    );
    assert.deepEqual(findings, []);
    assert.equal(request?.version, 1);
    assert.equal(request.feePayer, from);
    assert.deepEqual(request.transfers[0], { to: bob, amount: 5n, memo: undefined, references: [] });
    assert.equal(request.transfers[1]?.memo?.text, 'rent');
    assert.deepEqual(request.transfers[1].references, [reference]);
    assert.equal(typeof request.transfers[1].amount, 'object');
    assert.ok(!('references' in request));
  });

  it('may have one transfer, and is no request with none', () => {
    const one = finish(validateBatchRequest({ ...inputs, transfers: [good] }));
    assert.deepEqual(one.findings, []);
    assert.deepEqual(one.request?.transfers, [{ to: bob, amount: 5n, memo: undefined, references: [] }]);
    assert.equal(finish(validateBatchRequest({ ...inputs, transfers: [] })).request, undefined);
  });

  it('is refused for every fault of every transfer at once, each with its place', () => {
    const repeated = freshWallet();
    const transfers = [
      { to: 'nobody', amount: '-1' },
      good,
      { to: from, amountDecimal: 'one' },
      { to: bob, amount: '1', memo: '' },
      { to: bob, amount: '1', memo: 'a'.repeat(1_300) },
      { to: bob, amount: '1', memo: '漢'.repeat(290) },
      { to: bob, amount: '1', references: [repeated, repeated, 'none'] },
      { to: bob, amount: '1', references: Array.from({ length: 11 }, () => freshWallet()) },
    ];
    assert.deepEqual(faultsOf({ transfers }), [
      ['invalid_amount', { transfer: 0, part: 'amount' }],
      ['invalid_address', { transfer: 0, part: 'to' }],
      ['invalid_amount', { transfer: 2, part: 'amountDecimal' }],
      ['same_wallet', { transfer: 2, part: 'to' }],
      ['invalid_memo', { transfer: 3, part: 'memo' }],
      ['memo_too_long', { transfer: 4, part: 'memo' }],
      ['memo_too_costly', { transfer: 5, part: 'memo' }],
      ['invalid_value', { transfer: 6, part: 'references', index: 1 }],
      ['invalid_address', { transfer: 6, part: 'references', index: 2 }],
      ['invalid_value', { transfer: 7, part: 'references' }],
    ]);
  });

  it('is refused for the faults of the whole', () => {
    assert.ok(offCurve);
    assert.deepEqual(faultsOf({ from: 'x', mint: 'y', feePayer: 'z', priorityFee: 'fast', nonceAccount: 'n' }), [
      ['invalid_address', 'from'],
      ['invalid_address', 'mint'],
      ['invalid_address', 'feePayer'],
      ['invalid_value', 'priorityFee'],
      ['invalid_address', 'nonceAccount'],
    ]);
    assert.deepEqual(faultsOf({ from: offCurve, feePayer: offCurve }), [
      ['fee_payer_off_curve', 'feePayer'],
      ['sender_off_curve', 'from'],
    ]);
    assert.deepEqual(faultsOf({ transfers: [] }), [['invalid_value', 'transfers']]);
  });

  it('has 1,000 transfers at most, and of more none is read', () => {
    const most = Array.from({ length: 1_000 }, () => good);
    assert.equal(finish(validateBatchRequest({ ...inputs, transfers: most })).request?.transfers.length, 1_000);
    assert.deepEqual(faultsOf({ transfers: [...most, { to: 'nobody', amount: '1' }] }), [
      ['invalid_value', 'transfers'],
    ]);
  });

  it('is no request where a value is absent, which is for others to report', () => {
    assert.deepEqual(faultsOf({ from: undefined }), []);
    assert.deepEqual(faultsOf({ mint: undefined }), []);
    assert.deepEqual(faultsOf({ transfers: undefined }), []);
    assert.deepEqual(faultsOf({ transfers: [good, { to: bob }] }), []);
    assert.deepEqual(faultsOf({ transfers: [{ amount: '1' }] }), []);
  });

  it('lets a memo be as long as it fits into a transaction with the references of its transfer', () => {
    const longest = (references: readonly string[]): number => {
      for (let length = 1_000; ; length--) {
        const transfers = [{ ...good, memo: 'a'.repeat(length), references }];
        if (finish(validateBatchRequest({ ...inputs, transfers })).findings.length === 0) return length;
      }
    };
    // An address and its index in the instruction.
    assert.equal(longest([]) - longest([freshWallet()]), 33);
  });
});
