import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TObject } from 'typebox';
import { Check } from 'typebox/schema';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { addressFromBytes } from '../../../core/src/addresses/address.ts';
import { linkBody as linkSchema } from '../../src/links/link-body.ts';
import { type DescribedFinding, isAppError, type ProblemCode } from '../../src/problems.ts';
import {
  batchBody as batchSchema,
  createTransferBody,
  paths,
  type TransferPath,
  tokenTransferBody,
  transferBody,
} from '../../src/transfers/transfer-schema.ts';
import { withoutNulls } from './openapi-document.ts';
import { readBatch, readLink, readTransfer } from './read-bodies.ts';
import { alice, batchBody, bob, createBody, linkBody, linksPath, memoBody, usdc, yidBody } from './sample-bodies.ts';

/** A path that takes a body of fields. */
type BodyPath = TransferPath | typeof linksPath;

const schemas: Readonly<Record<BodyPath, TObject>> = {
  [paths.memoTransfer]: tokenTransferBody,
  [paths.createTransfer]: createTransferBody,
  [paths.transfers]: transferBody,
  [paths.batch]: batchSchema,
  [linksPath]: linkSchema,
};
const anyPath = fc.constantFrom<BodyPath[]>(...Object.values(paths), linksPath);
const fieldNames = Object.values(schemas).flatMap(({ properties }) => Object.keys(properties));

function schemaAccepts(path: BodyPath, body: unknown): boolean {
  return Check(schemas[path], withoutNulls(body, schemas[path]));
}

function serviceFaults(path: BodyPath, body: unknown): readonly ProblemCode[] {
  try {
    if (path === paths.batch) {
      const read = readBatch(body);
      return 'findings' in read ? codesOf(read.findings) : [];
    }
    if (path === linksPath) readLink(body);
    else readTransfer(path, body);
    return [];
  } catch (error) {
    if (!isAppError(error, 'invalid_request')) throw error;
    return codesOf(error.findings);
  }
}

/** The codes, but not that of a link's bounds in the wrong order: no schema compares two fields, and the code is that of other faults. */
function codesOf(findings: readonly DescribedFinding[]): readonly ProblemCode[] {
  return findings
    .filter(({ code, pointer }) => code !== 'invalid_value' || pointer !== '/amount_max')
    .map(({ code }) => code);
}

/** What no JSON schema can say: it needs base58, the curve, two fields or the size of the whole. */
const beyondSchema: readonly ProblemCode[] = [
  'same_wallet',
  'sender_off_curve',
  'fee_payer_off_curve',
  'memo_too_long',
  'memo_too_costly',
  'layout_conflict',
];

/**
 * What the schemas say in words alone: which of `memo` and `yid`, of two amounts, or of a blockhash and a nonce, a path takes. One object with both, of which generators make
 * usable clients, accepts more.
 */
const inWordsAlone: readonly ProblemCode[] = [
  'memo_and_yid',
  'memo_or_yid_required',
  'amount_and_amount_decimal',
  'amount_or_amount_decimal_required',
  'amount_and_amount_bounds',
  'amount_or_amount_bounds_required',
  'lifetime_conflict',
];
const unsaid: readonly ProblemCode[] = [...beyondSchema, ...inWordsAlone];

// Values that a schema can judge: right ones, and wrong ones of which the pattern or the type is wrong.
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(alice, bob, usdc, '1', '18446744073709551615', 'invoice 7', '支付') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      '0',
      '01',
      '1e6',
      '-1',
      '1.5',
      ' 1',
      '１',
      '18446744073709551616',
      `${alice} `,
      ` ${bob}`,
      'O'.repeat(40),
      '1'.repeat(31),
      '1'.repeat(45),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(null, 1, 0, true, false, [], {}, [alice], { amount: '1' }, 1e300) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...fieldNames) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', '', 'ammount', 'fromAddress') },
  { weight: 1, arbitrary: fc.string() },
);
const references = [alice, bob, usdc, ...Array.from({ length: 8 }, (_, index) => '1'.repeat(31) + '23456789'[index])];

/** Values of each option, the right ones first and then wrong ones that are near them. */
const optionValues: Readonly<Record<string, readonly unknown[]>> = {
  fee_payer: [alice, bob, '', `${bob} `, [bob], null],
  priority_fee: [
    'none',
    'low',
    'medium',
    'high',
    '0',
    '1',
    '25000',
    '18446744073709551615',
    '18446744073709551616',
    'Low',
    '',
    '01',
    '-1',
    1,
    null,
  ],
  nonce_account: [usdc, alice, '1', true],
  transaction_version: ['legacy', 0, 1, '0', '1', 2, 'Legacy', false, null],
  encoding: ['array', 'base64', 'base58', 'hex', 'Base64', null],
  references: [[], [alice], references.slice(0, 10), references, [bob, bob], [''], [alice, 1], alice, {}, null],
  allow_off_curve_recipient: [true, false, 'true', 1, 0, null],
  checks: ['full', 'none', 'None', '', true, null],
  simulate: [true, false, 'false', 1, null],
  summary: [true, false, {}, 0, null],
  amount_min: ['1', '18446744073709551615', '18446744073709551616', '0', '01', '', 1, null],
  amount_max: ['1', '18446744073709551615', '18446744073709551616', '0', '01', '', 1, null],
  message: ['x', '支'.repeat(200), '𝒳'.repeat(200), '\u202e', '支'.repeat(201), '', 'a\u0000', 1, null],
  icon: [
    'https://shop.example/icon.png',
    'https://shop.example',
    `https://shop.example/${'x'.repeat(479)}`,
    `https://shop.example/${'x'.repeat(480)}`,
    'http://shop.example/icon.png',
    'https://user@shop.example/',
    'https://shop.example/"',
    'https://shop.example/a b',
    'https://shop.example/\u202e',
    'javascript:alert(1)',
    'HTTPS://shop.example',
    '//shop.example',
    '',
    null,
  ],
  redirect: ['https://shop.example/thanks?order=1', 'solana:https://shop.example', 'https:///x', '', 1, null],
  expires_in: [60, 31_536_000, 59, 31_536_001, 60.5, '60', null],
  single_use: [true, false, 'true', 1, null],
  amount_decimal: [
    '1.5',
    '1',
    '0.000001',
    '0',
    '0.0',
    '1.',
    '.5',
    '01',
    '1,5',
    ' 1',
    '1e3',
    '1'.repeat(277),
    1.5,
    null,
  ],
  layout: ['default', 'mpp', 'X402', '', null],
  recent_blockhash: ['GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W', '', '1', 'x'.repeat(45), 1, null],
  last_valid_block_height: ['1', '0', '291470237', '01', '-1', '1.5', '', '9'.repeat(21), 5, null],
  create_token_account: ['if_missing', 'always', 'never', 'If_missing', '', true, null],
  splits: [
    [],
    [{ to_address: bob, amount: '1' }],
    Array.from({ length: 5 }, () => ({ to_address: bob, amount: '1' })),
    Array.from({ length: 6 }, () => ({ to_address: bob, amount: '1' })),
    [{ to_address: bob }],
    [{ amount: '1' }],
    [{ to_address: bob, amount: 1 }],
    [{ to_address: 'x', amount: '1' }],
    [{ to_address: bob, amount: '0' }],
    [{ to_address: bob, amount: '1', memo: 'x' }],
    [bob],
    [null],
    {},
    null,
  ],
};
const optionNames = Object.keys(optionValues);
const optionOf = (path: BodyPath) =>
  fc
    .constantFrom(...optionNames.filter((field) => isTakenBy(path, field)))
    .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...(optionValues[field] ?? []))));
const transferOfBatch = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...batchBody.transfers) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom('to_address', 'amount', 'amount_decimal', 'memo', 'references', 'yid'),
      fc.oneof(value, fc.constantFrom('1.5', [usdc], [usdc, usdc], [1])),
    ),
  },
  { weight: 1, arbitrary: value },
);
const transfersField = fc.tuple(
  fc.constant('transfers'),
  fc.oneof({ weight: 5, arbitrary: fc.array(transferOfBatch, { maxLength: 3 }) }, { weight: 1, arbitrary: value }),
);

const validBodies = [
  [paths.memoTransfer, yidBody],
  [paths.memoTransfer, memoBody],
  [paths.createTransfer, createBody],
  [paths.transfers, createBody],
  [paths.batch, batchBody],
  [linksPath, linkBody],
] as const;

function isTakenBy(path: BodyPath, field: string): boolean {
  return Object.hasOwn(schemas[path].properties, field);
}

// Most changes are of fields that the path takes, so that about half of the bodies are valid.
const mutated = fc.constantFrom(...validBodies).chain(([path, valid]) =>
  fc
    .record({
      dropped: fc.oneof(
        { weight: 5, arbitrary: fc.constant<string[]>([]) },
        { weight: 1, arbitrary: fc.subarray(Object.keys(valid)) },
      ),
      options: fc.array(
        fc.oneof(
          { weight: 6, arbitrary: optionOf(path) },
          { weight: path === paths.batch ? 3 : 0, arbitrary: transfersField },
        ),
        { maxLength: 2 },
      ),
      added: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 2 }) },
      ),
    })
    .map(({ dropped, options, added }): [BodyPath, object] => {
      const kept = Object.entries(valid).filter(([field]) => !dropped.includes(field));
      return [path, Object.fromEntries([...kept, ...options, ...added])];
    }),
);

test('The request schemas accept exactly the bodies whose shape the service accepts, but for which of memo and yid', () => {
  const verdicts: boolean[] = [];
  fc.assert(
    fc.property(mutated, ([path, body]) => {
      // A link has its token, or `accepts` in place of it.
      const needsMint = path === linksPath && !('token_mint_address' in body);
      const faults = serviceFaults(path, body).filter(
        (code) =>
          !unsaid.includes(code) && !(needsMint && code === 'missing_field' && 'to_address' in body && 'label' in body),
      );
      verdicts.push(faults.length === 0);
      assert.equal(schemaAccepts(path, body), faults.length === 0, faults.join());
    }),
    {
      numRuns: propertyRuns(500),
      examples: [
        [[paths.memoTransfer, { ...yidBody, yid: '' }]],
        [[linksPath, { ...linkBody, amount_min: '2', amount_max: '1' }]],
      ],
    },
  );
  // About two in five.
  const accepted = verdicts.filter((isAccepted) => isAccepted).length;
  assert.ok(
    verdicts.length < 50 || accepted > verdicts.length / 5,
    `only ${accepted} of ${verdicts.length} were valid`,
  );
});

test('They say in words which of memo and yid, and which amount, a path takes', () => {
  const { memo: _, ...neither } = memoBody;
  const both = { ...memoBody, yid: 'yid-1' };
  const { amount: __, ...withoutAmount } = createBody;
  const { amount: ___, ...withoutLinkAmount } = linkBody;
  for (const [path, body, code] of [
    [paths.memoTransfer, neither, 'memo_or_yid_required'],
    [paths.memoTransfer, both, 'memo_and_yid'],
    [paths.createTransfer, both, 'memo_and_yid'],
    [paths.transfers, { ...createBody, amount_decimal: '1.5' }, 'amount_and_amount_decimal'],
    [paths.transfers, withoutAmount, 'amount_or_amount_decimal_required'],
    [paths.batch, { ...batchBody, transfers: [{ to_address: bob }] }, 'amount_or_amount_decimal_required'],
    [linksPath, { ...linkBody, amount_min: '1' }, 'amount_and_amount_bounds'],
    [linksPath, withoutLinkAmount, 'amount_or_amount_bounds_required'],
  ] as const) {
    assert.deepEqual([serviceFaults(path, body), schemaAccepts(path, body)], [[code], true]);
  }
});

test('They refuse every body that is not an object, as the service does', () => {
  fc.assert(
    fc.property(anyPath, fc.jsonValue(), (path, body) => {
      assert.equal(schemaAccepts(path, body), serviceFaults(path, body).length === 0);
    }),
  );
});

test('They accept every address, amount and memo that the service accepts', () => {
  const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(addressFromBytes);
  const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
  fc.assert(
    fc.property(
      address,
      address,
      amount,
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
      (to, mint, base, memo) => {
        const body = { ...memoBody, to_address: to, token_mint_address: mint, amount: base, memo };
        assert.deepEqual(
          [serviceFaults(paths.memoTransfer, body), schemaAccepts(paths.memoTransfer, body)],
          [[], true],
        );
      },
    ),
  );
});

test('Of the values of each option, they accept the same ones alone, and some of each', () => {
  for (const field of optionNames) {
    const verdicts = new Set<boolean>();
    for (const given of optionValues[field] ?? []) {
      for (const [path, valid] of validBodies) {
        if (!isTakenBy(path, field)) continue;
        const body = { ...valid, [field]: given };
        const isTaken = serviceFaults(path, body).every((code) => inWordsAlone.includes(code));
        assert.equal(schemaAccepts(path, body), isTaken, `${field}: ${JSON.stringify(given)}`);
        verdicts.add(isTaken);
      }
    }
    assert.equal(verdicts.size, 2, field);
  }
});
