import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionNames, takesField } from '../../src/app/fields.ts';
import { paths, type TransferPath } from '../../src/app/openapi/route-table.ts';
import { readBody, readLinkShape } from '../../src/app/read-body.ts';
import type { TransferOperation } from '../../src/operation.ts';

const texts = { from_address: 'a', to_address: 'b', token_mint_address: 'c', amount: 'd' };
const textValues = { from: 'a', to: 'b', mint: 'c', amount: 'd' };

const takenBy = (operation: TransferOperation) => optionNames.filter((name) => takesField(operation, name));

const read = (path: TransferPath, body: object): unknown => {
  const { unlistedCount, ...others } = readBody(path, body);
  assert.equal(unlistedCount, 0);
  return others;
};

test('The path and the fields choose the operation, and the texts are passed on as they are', () => {
  const memo = { ...texts, memo: ' ' };
  const yid = { ...texts, yid: '' };
  const memoValues = { ...textValues, memo: ' ' };
  const yidValues = { ...textValues, yid: '' };
  assert.deepEqual(read(paths.memoTransfer, memo), { operation: 'memo_transfer', values: memoValues, findings: [] });
  assert.deepEqual(read(paths.memoTransfer, yid), { operation: 'yid_transfer', values: yidValues, findings: [] });
  const operation = 'create_transfer';
  assert.deepEqual(read(paths.createTransfer, texts), { operation, values: textValues, findings: [] });
  assert.deepEqual(read(paths.createTransfer, memo), { operation, values: memoValues, findings: [] });
  assert.deepEqual(read(paths.createTransfer, yid), { operation, values: yidValues, findings: [] });
});

test('The options are passed on by the names that the core has for them, on both paths, whatever kind of value they are', () => {
  const options = {
    fee_payer: 'e',
    priority_fee: 'f',
    nonce_account: 'g',
    transaction_version: 0,
    encoding: 'base58',
    references: ['h', ''],
    allow_off_curve_recipient: true,
    checks: 'none',
    simulate: false,
    summary: true,
  };
  assert.deepEqual(Object.keys(options), takenBy('create_transfer'));
  const values = {
    ...textValues,
    yid: 'y',
    feePayer: 'e',
    priorityFee: 'f',
    nonceAccount: 'g',
    transactionVersion: 0,
    encoding: 'base58',
    references: ['h', ''],
    allowsOffCurveRecipient: true,
    checks: 'none',
    simulate: false,
    summary: true,
  };
  const body = { ...texts, yid: 'y', ...options };
  assert.deepEqual(read(paths.createTransfer, body), { operation: 'create_transfer', values, findings: [] });
  assert.deepEqual(read(paths.memoTransfer, body), { operation: 'yid_transfer', values, findings: [] });
});

test('A field that is null is absent, be it an option, one of two fields or a member; a required one is refused with what to send', () => {
  const nullsOf = (operation: TransferOperation): object =>
    Object.fromEntries(takenBy(operation).map((name) => [name, null]));
  const memo = { operation: 'memo_transfer', values: { ...textValues, memo: 'm' }, findings: [] };
  assert.deepEqual(read(paths.memoTransfer, { ...texts, ...nullsOf('create_transfer'), memo: 'm', yid: null }), memo);
  const created = { operation: 'create_transfer', values: textValues, findings: [] };
  assert.deepEqual(read(paths.createTransfer, { ...texts, memo: null, yid: null }), created);
  const { amount: _, ...inTokens } = texts;
  const body = { ...inTokens, ...nullsOf('transfer'), memo: null, amount: null, amount_decimal: '1.5' };
  const { amount: __, ...values } = textValues;
  assert.deepEqual(read(paths.transfers, body), {
    operation: 'transfer',
    values: { ...values, amountDecimal: '1.5' },
    findings: [],
  });
  const transfer = { to_address: 'a', amount: '1', amount_decimal: null, memo: null, references: null };
  const batch = { from_address: 'a', token_mint_address: 'c', transfers: [transfer] };
  assert.deepEqual(readBody(paths.batch, batch).values.transfers, [{ to: 'a', amount: '1' }]);
  const split = readBody(paths.transfers, { ...texts, splits: [{ to_address: null, amount: '1' }] });
  assert.deepEqual(split.findings, [
    {
      code: 'wrong_type',
      pointer: '/splits/0/to_address',
      detail: 'splits/0/to_address is null; send an address, as a JSON string.',
    },
  ]);
  assert.deepEqual(
    readBody(paths.createTransfer, { ...texts, unknown: null }).findings.map(({ code }) => code),
    ['unknown_field'],
  );
});

test('A number in place of a text is answered with the text to send, unless it may have lost digits or is no value of the field', () => {
  const detailOf = (name: string, json: string): string | undefined =>
    readBody(paths.transfers, JSON.parse(`{"${name}":${json}}`)).findings.find(({ pointer }) => pointer === `/${name}`)
      ?.detail;
  for (const [name, json, shown] of [
    ['amount_decimal', '1.5', '1.5'],
    ['amount_decimal', '0.000015', '0.000015'],
    ['amount_decimal', '1234567890.12345', '1234567890.12345'],
    ['priority_fee', '0', '0'],
    ['memo', '1001', '1001'],
  ] as const) {
    assert.equal(detailOf(name, json), `${name} is the number ${shown}; send the string "${shown}".`);
  }
  assert.match(
    detailOf('amount', '9007199254740991') ?? '',
    /is the number 9007199254740991; .*: "9007199254740991"\.$/,
  );
  for (const [name, json] of [
    ['amount_decimal', '1234567890.123456789'],
    ['amount_decimal', '-1'],
    ['amount_decimal', '0'],
    ['amount_decimal', '1e-7'],
    ['amount', '9007199254740993'],
    ['amount', '1.5'],
    ['to_address', '1'],
  ] as const) {
    assert.match(detailOf(name, json) ?? '', / is a number/, `${name} ${json}`);
  }
});

test('A value with an error is not passed on', () => {
  const faulty = {
    fee_payer: 5,
    transaction_version: '0',
    encoding: 'hex',
    references: ['a', 1],
    checks: 0,
    summary: 1,
  };
  const { values, findings } = readBody(paths.createTransfer, { ...texts, ...faulty });
  assert.deepEqual(values, textValues);
  assert.equal(findings.length, Object.keys(faulty).length);
});

test('A payment link has one amount or two bounds, and an expiry in whole seconds', () => {
  const body = { to_address: 'a', token_mint_address: 'b', label: 'c' };
  const codes = (more: object): readonly string[] =>
    readLinkShape({ ...body, ...more }).findings.map(({ code, pointer }) => `${code} ${pointer}`);
  assert.deepEqual(readLinkShape({ ...body, amount: '1', expires_in: 60, single_use: false }), {
    operation: 'payment_link',
    values: { to: 'a', mint: 'b', label: 'c', amount: '1', expiresIn: 60, isSingleUse: false },
    findings: [],
    unlistedCount: 0,
  });
  assert.deepEqual(codes({ amount_min: '1', amount_max: '2' }), []);
  assert.deepEqual(codes({}), ['amount_or_amount_bounds_required ']);
  assert.deepEqual(codes({ amount_max: '1' }), ['amount_or_amount_bounds_required ']);
  assert.deepEqual(codes({ amount_decimal: '1' }), []);
  assert.deepEqual(codes({ amount: '1', amount_decimal: '1' }), ['amount_and_amount_decimal /amount_decimal']);
  assert.deepEqual(codes({ amount_decimal: '1', amount_max: '1' }), ['amount_and_amount_bounds /amount_max']);
  assert.deepEqual(codes({ amount: '1', amount_min: '1' }), ['amount_and_amount_bounds /amount_min']);
  assert.deepEqual(codes({ amount: '1', amount_max: '1' }), ['amount_and_amount_bounds /amount_max']);
  for (const wrong of [59, 31_536_001, 60.5]) {
    assert.deepEqual(codes({ amount: '1', expires_in: wrong }), ['invalid_value /expires_in']);
  }
  for (const wrong of ['60', true]) {
    assert.deepEqual(codes({ amount: '1', expires_in: wrong }), ['wrong_type /expires_in']);
  }
});
