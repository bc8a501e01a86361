import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import { toAddress } from '../../src/addresses/address.ts';
import { validateTransferRequest } from '../../src/decide/validate-transfer-request.ts';
import type { TransferInputs } from '../../src/request/parse-transfer-request.ts';
import { freshWallet, goodInputs, memoOf, plainRequestOptions } from '../fixtures.ts';

const offCurve = PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(freshWallet()))[0].toBase58();

function faultsOf(texts: TransferInputs): string[][] {
  const { request, findings } = validateTransferRequest(texts);
  if (findings.length > 0) assert.equal(request, undefined);
  return findings.map(({ field, code }) => [String(field), code]);
}

describe('a faultless request', () => {
  test('is what its texts say', () => {
    assert.deepEqual(validateTransferRequest({ ...goodInputs, memo: 'hello' }), {
      request: {
        ...plainRequestOptions,
        from: goodInputs.from,
        to: goodInputs.to,
        mint: goodInputs.mint,
        amount: 1_500_000n,
        splits: [],
        memo: memoOf('hello'),
        feePayer: goodInputs.from,
      },
      findings: [],
    });
  });

  test('has no memo where none is given', () => {
    const { request, findings } = validateTransferRequest({ ...goodInputs, createTokenAccount: 'always' });
    assert.deepEqual([request?.createTokenAccount, request?.memo, findings], ['always', undefined, []]);
  });

  test('may have a recipient off the curve, which the chain decides on', () => {
    const { request } = validateTransferRequest({ ...goodInputs, to: offCurve });
    assert.equal(request?.to, toAddress(offCurve));
  });
});

test('an absent text is not a finding, and there is no request without it', () => {
  for (const field of ['from', 'to', 'mint', 'amount']) {
    const texts = { ...goodInputs, memo: 'hello', [field]: undefined };
    assert.deepEqual(validateTransferRequest(texts), { request: undefined, findings: [] });
  }
  assert.deepEqual(validateTransferRequest({ createTokenAccount: 'always' }), { request: undefined, findings: [] });
});

test('faults of what the texts mean are reported together with those of the texts', () => {
  const texts = { ...goodInputs, from: offCurve, to: offCurve, amount: '0', memo: 'x'.repeat(917) };
  assert.deepEqual(faultsOf(texts), [
    ['amount', 'invalid_amount'],
    ['memo', 'memo_too_long'],
    ['from', 'sender_off_curve'],
    ['to', 'same_wallet'],
  ]);
});

test('a memo that is too long is reported even where every address is at fault', () => {
  const texts = { ...goodInputs, from: '', to: '', mint: '', amount: '1', memo: 'x'.repeat(1200) };
  assert.deepEqual(faultsOf(texts).at(-1), ['memo', 'memo_too_long']);
});

test('the context names the sender that no key can sign for, the wallet that is both, and what a memo could cost', () => {
  const only = (texts: TransferInputs): unknown => validateTransferRequest(texts).findings;
  const sender = { code: 'sender_off_curve', field: 'from', context: { sender: offCurve } };
  assert.deepEqual(only({ ...goodInputs, from: offCurve, memo: 'x' }), [sender]);
  const both = { code: 'same_wallet', field: 'to', context: { wallet: goodInputs.from } };
  assert.deepEqual(only({ ...goodInputs, to: goodInputs.from, memo: 'x' }), [both]);
  assert.deepEqual(faultsOf({ ...goodInputs, memo: '😀'.repeat(100) }), [['memo', 'memo_too_costly']]);
});

test('a split to the sender is the same wallet, by its index', () => {
  const split = (to: string) => ({ to, amount: '1' });
  const splits = [split(freshWallet()), split(goodInputs.from)];
  assert.deepEqual(validateTransferRequest({ ...goodInputs, splits }).findings, [
    { code: 'same_wallet', field: { split: 1, part: 'to' }, context: { wallet: goodInputs.from } },
  ]);
});

test('a split to the sender is named by its own place, also after one with a fault and with an amount that has one', () => {
  const splits = [
    { to: 'nobody', amount: '1' },
    { to: goodInputs.from, amount: '0' },
    { to: goodInputs.from, amount: '1' },
  ];
  const { findings } = validateTransferRequest({ ...goodInputs, splits });
  const fields = findings.filter(({ code }) => code === 'same_wallet').map(({ field }) => field);
  assert.deepEqual(fields, [
    { split: 1, part: 'to' },
    { split: 2, part: 'to' },
  ]);
});
