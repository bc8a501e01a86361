import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FieldName, fieldNames, optionNames } from '../../src/wire/fields.ts';
import { readBody, readLinkShape } from '../../src/wire/read-body.ts';
import { paths, type TransferPath } from '../../src/wire/routes/route-table.ts';
import { batchBody, createBody, memoBody, yidBody } from '../http/sample-bodies.ts';

const texts = { from_address: 'a', to_address: 'b', token_mint_address: 'c', amount: 'd' };
const textValues = { from: 'a', to: 'b', mint: 'c', amount: 'd' };

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isFlag = (value: unknown): boolean => value === true || value === false;
const isSplit = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).sort().join() === 'amount,to_address' &&
  Object.values(value).every(isText);
const hasValue = (object: object, name: string): boolean =>
  Object.hasOwn(object, name) && Object(object)[name] !== null;
const transferMembers = ['to_address', 'amount', 'amount_decimal', 'memo', 'references'];
const isTransfer = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  isText(Object(value).to_address) &&
  hasValue(value, 'amount') !== hasValue(value, 'amount_decimal') &&
  Object.entries(value).every(
    ([name, member]) =>
      transferMembers.includes(name) && (member === null || (name === 'references' ? isTexts(member) : isText(member))),
  );
const isOneOf =
  (...choices: readonly unknown[]) =>
  (value: unknown): boolean =>
    choices.includes(value);

/** What each field may hold before its text is read, written down once more by hand. */
const types: Readonly<Record<FieldName, (value: unknown) => boolean>> &
  Readonly<Record<string, (value: unknown) => boolean>> = {
  from_address: isText,
  to_address: isText,
  token_mint_address: isText,
  amount: isText,
  amount_decimal: isText,
  memo: isText,
  yid: isText,
  fee_payer: isText,
  priority_fee: isText,
  nonce_account: isText,
  transaction_version: isOneOf('legacy', 0, 1),
  encoding: isOneOf('array', 'base64', 'base58'),
  references: isTexts,
  allow_off_curve_recipient: isFlag,
  checks: isOneOf('full', 'none'),
  simulate: isFlag,
  summary: isFlag,
  layout: isOneOf('default', 'x402', 'mpp'),
  recent_blockhash: isText,
  last_valid_block_height: isText,
  create_token_account: isOneOf('if_missing', 'always', 'never'),
  splits: (value) => Array.isArray(value) && value.every(isSplit),
  transfers: (value) => Array.isArray(value) && value.every(isTransfer),
  amount_min: isText,
  amount_max: isText,
  label: isText,
  message: isText,
  icon: isText,
  redirect: isText,
  expires_in: (value) => Number.isInteger(value) && Number(value) >= 60 && Number(value) <= 31_536_000,
  single_use: isFlag,
};

// Of one transfer, which the objects of a batch have instead.
const ofOne = ['to_address', 'amount', 'memo', 'references', 'simulate'];

/** The fields that a path takes, in addition to those that all take. */
const ownFields: Readonly<Record<TransferPath, readonly string[]>> = {
  [paths.memoTransfer]: [...ofOne, 'yid', 'encoding', 'summary'],
  [paths.createTransfer]: [...ofOne, 'yid', 'encoding', 'summary'],
  [paths.transfers]: [
    ...[...ofOne, 'amount_decimal', 'create_token_account', 'layout', 'splits'],
    ...['recent_blockhash', 'last_valid_block_height'],
  ],
  [paths.batch]: ['create_token_account', 'transfers'],
};
/** What is taken where a payment link is made. */
const linkFields = [
  ...[
    'to_address',
    'token_mint_address',
    'amount',
    'amount_decimal',
    'amount_min',
    'amount_max',
    'memo',
    'allow_off_curve_recipient',
  ],
  ...['label', 'message', 'icon', 'redirect', 'expires_in', 'single_use'],
];
const ofLinksAlone = linkFields.slice(linkFields.indexOf('label')).concat('amount_min', 'amount_max');
const sharedFields = Object.keys(types).filter(
  (name) => !Object.values(ownFields).flat().includes(name) && !ofLinksAlone.includes(name),
);

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
  const ofBothPaths = [...sharedFields, ...ownFields[paths.createTransfer]];
  assert.deepEqual(
    Object.keys(options),
    optionNames.filter((name) => ofBothPaths.includes(name)),
  );
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
  const noOptions = Object.fromEntries(optionNames.map((name) => [name, null]));
  const pick = (names: readonly string[]): object =>
    Object.fromEntries(Object.entries(noOptions).filter(([name]) => names.includes(name)));
  const ofBothPaths = pick([...sharedFields, ...ownFields[paths.createTransfer]]);
  const memo = { operation: 'memo_transfer', values: { ...textValues, memo: 'm' }, findings: [] };
  assert.deepEqual(read(paths.memoTransfer, { ...texts, ...ofBothPaths, memo: 'm', yid: null }), memo);
  const created = { operation: 'create_transfer', values: textValues, findings: [] };
  assert.deepEqual(read(paths.createTransfer, { ...texts, memo: null, yid: null }), created);
  const { amount: _, ...inTokens } = texts;
  const ofTransfers = pick([...sharedFields, ...ownFields[paths.transfers]]);
  const body = { ...inTokens, ...ofTransfers, memo: null, amount: null, amount_decimal: '1.5' };
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

test('No value at all makes it throw, and only an object of the needed and known fields, each of its type, is without a finding', () => {
  const names = fc.oneof(fc.constantFrom(...fieldNames), fc.string(), fc.constantFrom('__proto__', 'toString'));
  const member = fc.tuple(
    names,
    fc.oneof(
      { weight: 3, arbitrary: fc.string() },
      {
        weight: 3,
        arbitrary: fc.constantFrom<unknown>('legacy', 0, 1, 2, 'array', 'base64', 'full', 'none', true, false, []),
      },
      { weight: 1, arbitrary: fc.array(fc.string()) },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
  );
  const transfers = fc.tuple(
    fc.constant('transfers'),
    fc.array(
      fc.dictionary(
        fc.constantFrom(...transferMembers, 'other'),
        fc.oneof(fc.string(), fc.constant([]), fc.jsonValue()),
        {
          minKeys: 1,
        },
      ),
      { maxLength: 2 },
    ),
  );
  const mutated = fc
    .tuple(
      fc.constantFrom<object>(createBody, memoBody, yidBody, batchBody),
      fc.array(fc.oneof(member, transfers), { maxLength: 3 }),
      fc.subarray(Object.keys({ ...yidBody, ...batchBody })),
    )
    .map(([body, members, dropped]) => {
      const kept = Object.entries(body).filter(([name]) => !dropped.includes(name));
      return Object.fromEntries([...kept, ...members]);
    });
  const isFit = (path: TransferPath, body: unknown): boolean => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
    const isTyped = ([name, value]: [string, unknown]): boolean =>
      [...sharedFields, ...ownFields[path]].includes(name) && (value === null || types[name]?.(value) === true);
    if (!Object.entries(body).every(isTyped)) return false;
    if (path === paths.batch) {
      return ['from_address', 'token_mint_address', 'transfers'].every((name) => hasValue(body, name));
    }
    const memos = ['memo', 'yid'].filter((name) => hasValue(body, name)).length;
    const amounts = ['amount', 'amount_decimal'].filter((name) => hasValue(body, name)).length;
    const addresses = ['from_address', 'to_address', 'token_mint_address'];
    const hasAllNeeded = addresses.every((name) => hasValue(body, name)) && amounts === 1;
    return hasAllNeeded && (memos === 1 || (memos === 0 && path !== paths.memoTransfer));
  };
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(paths)), fc.oneof(mutated, fc.jsonValue()), (path, body) => {
      assert.equal(readBody(path, body).findings.length === 0, isFit(path, body), JSON.stringify(body));
    }),
    { numRuns: 2000 },
  );
});

test('A payment link has the needed fields of its own, one amount or two bounds, and no other field', () => {
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
  const random = fc.dictionary(fc.constantFrom(...fieldNames, 'other'), fc.oneof(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(random, (more) => {
      const sent: Readonly<Record<string, unknown>> = { ...body, ...more };
      const has = (name: string): boolean => hasValue(sent, name);
      const isTyped = Object.entries(sent).every(
        ([name, value]) =>
          linkFields.includes(name) && (types[name]?.(value) || (value === null && !Object.hasOwn(body, name))),
      );
      const isFixed = has('amount') || has('amount_decimal');
      const isOne = isFixed
        ? has('amount') !== has('amount_decimal') && !has('amount_min') && !has('amount_max')
        : has('amount_min') && has('amount_max');
      assert.equal(readLinkShape(sent).findings.length === 0, isTyped && isOne, JSON.stringify(sent));
    }),
  );
});
