import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keypair, PublicKey } from '@solana/web3.js';
import { toAddress } from '../../src/core/address.ts';
import { parseTransferRequest, type TransferRequestTexts } from '../../src/core/parse-transfer-request.ts';
import type { Operation } from '../../src/core/transfer-plan.ts';
import type { Finding } from '../../src/errors.ts';
import { memoOf } from './random-plans.ts';

const walletAddress = (): string => Keypair.generate().publicKey.toBase58();
const offCurve = PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(walletAddress()))[0].toBase58();

const good = {
  from_address: walletAddress(),
  to_address: walletAddress(),
  token_mint_address: walletAddress(),
  amount: '1500000',
};

function findingsOf(texts: TransferRequestTexts, operation: Operation = 'memo_transfer'): readonly Finding[] {
  const parsed = parseTransferRequest(operation, texts);
  if (parsed.findings.length > 0) assert.equal(parsed.request, undefined);
  return parsed.findings;
}

const faultsOf = (texts: TransferRequestTexts): string[][] =>
  findingsOf(texts).map(({ pointer, code }) => [pointer, code]);

function detailOf(texts: TransferRequestTexts): string {
  const [finding, ...others] = findingsOf(texts);
  assert.ok(finding && others.length === 0, 'one finding, no more');
  return finding.detail;
}

describe('a faultless request is parsed', () => {
  test('with its memo', () => {
    assert.deepEqual(parseTransferRequest('memo_transfer', { ...good, memo: 'hello' }), {
      request: {
        operation: 'memo_transfer',
        from: good.from_address,
        to: good.to_address,
        mint: good.token_mint_address,
        amount: 1_500_000n,
        memo: memoOf('hello'),
        memoField: 'memo',
        computeUnitLimit: undefined,
        feePayer: good.from_address,
        version: 'legacy',
        priorityFee: undefined,
        nonceAccount: undefined,
        references: [],
        allowsOffCurveRecipient: false,
        checks: 'full',
      },
      findings: [],
    });
  });

  test('with the yid as its memo, as it is', () => {
    const { request } = parseTransferRequest('yid_transfer', { ...good, yid: ' 4711\n' });
    assert.deepEqual(request?.memo, memoOf(' 4711\n'));
    assert.equal(request?.operation, 'yid_transfer');
  });

  test('without a memo where none is needed', () => {
    const { request, findings } = parseTransferRequest('create_transfer', good);
    assert.equal(request?.memo, undefined);
    assert.equal(request?.operation, 'create_transfer');
    assert.deepEqual(findings, []);
  });

  test('with the compute limit that its memo brings', () => {
    const { request } = parseTransferRequest('memo_transfer', { ...good, memo: '漢'.repeat(100) });
    assert.equal(request?.computeUnitLimit, memoOf('漢'.repeat(100)).computeUnits + 40_000);
  });

  test('with a recipient off the curve, which the chain decides on', () => {
    const { request } = parseTransferRequest('create_transfer', { ...good, to_address: offCurve });
    assert.equal(request?.to, toAddress(offCurve));
  });
});

test('an absent text is no finding here, and there is no request without it', () => {
  for (const field of ['from_address', 'to_address', 'token_mint_address', 'amount', 'memo']) {
    const texts = { ...good, memo: 'hello', [field]: undefined };
    assert.deepEqual(parseTransferRequest('memo_transfer', texts), { request: undefined, findings: [] });
  }
  assert.deepEqual(parseTransferRequest('create_transfer', {}), { request: undefined, findings: [] });
});

test('every fault is reported at once, each with the pointer to its field', () => {
  const texts = {
    from_address: 'x'.repeat(70),
    to_address: '',
    token_mint_address: '0',
    amount: '1.5',
    memo: '\ud800',
  };
  assert.deepEqual(faultsOf(texts), [
    ['/from_address', 'invalid_address'],
    ['/to_address', 'invalid_address'],
    ['/token_mint_address', 'invalid_address'],
    ['/amount', 'invalid_amount'],
    ['/memo', 'invalid_memo'],
  ]);
});

test('faults of what the addresses mean stand beside those of other fields', () => {
  const texts = { ...good, from_address: offCurve, to_address: offCurve, amount: '0', yid: 'x'.repeat(917) };
  assert.deepEqual(faultsOf(texts), [
    ['/amount', 'invalid_amount'],
    ['/yid', 'memo_too_long'],
    ['/from_address', 'sender_off_curve'],
    ['/to_address', 'same_wallet'],
  ]);
});

test('both memo and yid are looked at when the first is at fault', () => {
  assert.deepEqual(faultsOf({ ...good, memo: '', yid: '' }), [
    ['/memo', 'invalid_memo'],
    ['/yid', 'invalid_memo'],
  ]);
});

describe('the detail says what is wrong', () => {
  test('with an address', () => {
    const cases: [string, RegExp][] = [
      ['', /^to_address is empty\. A Solana address is the base58 text of 32 bytes\.$/],
      ['0x52908400098527886E0F7030069857D2E4169EE7', /EVM \(Ethereum\) address/],
      [`${good.to_address} `, new RegExp(`white space at index ${good.to_address.length}`)],
      ['abc0', /has "0" at index 3, which is not in the base58 alphabet/],
      ['abc😀', /has "😀" at index 3/],
      ['abc\u0000', /has "\\u0000" at index 3/],
      ['abc', /decodes to 3 bytes instead of 32/],
      ['z'.repeat(88), /has 88 characters instead of 32 to 44/],
    ];
    for (const [text, detail] of cases) assert.match(detailOf({ ...good, to_address: text, memo: 'x' }), detail);
  });

  test('with an amount, and what base units are', () => {
    const cases: [string, RegExp][] = [
      ['', /^amount is empty\./],
      [' 1', /^amount has white space in it\./],
      ['-1', /^amount has a sign\./],
      ['1e6', /^amount has an exponent\./],
      ['0x10', /^amount is not in decimal base\./],
      ['1.5', /^amount has a decimal point\./],
      ['1,000', /^amount has separators between its digits\./],
      ['１', /^amount has digits other than 0 to 9\./],
      ['ten', /^amount is not a whole number\./],
      ['0', /^amount is zero\./],
      ['01', /^amount has a leading zero\./],
      ['18446744073709551616', /^amount is more than 18446744073709551615, /],
    ];
    for (const [text, detail] of cases) {
      assert.match(detailOf({ ...good, amount: text, memo: 'x' }), detail);
      assert.match(detailOf({ ...good, amount: text, memo: 'x' }), /base units.*"1500000" is 1\.5 tokens\.$/);
    }
  });

  test('with a memo and with a yid', () => {
    assert.equal(detailOf({ ...good, memo: '' }), 'memo is empty. Send at least one character.');
    assert.match(detailOf({ ...good, yid: '\udc00' }), /^yid has a lone surrogate/);
    assert.match(detailOf({ ...good, memo: '😀'.repeat(100) }), /^memo could cost the classic Memo program/);
  });

  test('with a sender that cannot sign, and with one wallet on both sides', () => {
    assert.match(
      detailOf({ ...good, from_address: offCurve, memo: 'x' }),
      new RegExp(`^${offCurve} is off the Ed25519`),
    );
    const texts = { ...good, to_address: good.from_address, memo: 'x' };
    assert.match(detailOf(texts), new RegExp(`both ${good.from_address}\\. Send to another wallet`));
  });
});
