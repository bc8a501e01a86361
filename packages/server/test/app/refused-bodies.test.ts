/**
 * What each body is refused for, as code, pointer and sentence: `refused-bodies.txt`.
 *
 * After a change of words: npx node --test --test-update-snapshots packages/server/test/app/refused-bodies.test.ts
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateApiKey } from '../../src/app/api-key.ts';
import { isAppError } from '../../src/problems.ts';
import type { SinglePath } from '../../src/transfers/read-transfer-request.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { readTransfer } from './read-bodies.ts';
import { alice, bob, createBody, createPath, memoBody, memoPath, usdc, yidBody } from './sample-bodies.ts';

const snapshot = join(import.meta.dirname, 'refused-bodies.txt');

// The token account of alice's, derived and so off the curve.
const offCurve = '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t';
const elevenAddresses = Array.from({ length: 11 }, (_, index) => '1'.repeat(31) + '23456789ABC'[index]);

const to = (path: SinglePath, bodies: Readonly<Record<string, unknown>>) =>
  Object.entries(bodies).map(([name, body]) => ({ name, path, body }));
/** Bodies of operation 3 that have also, or instead, what is under each of these names. */
const creating = (members: Readonly<Record<string, object>>) =>
  Object.entries(members).map(([name, more]) => ({ name, path: createPath, body: { ...createBody, ...more } }));
/** A body with a member that no object literal could hold. */
const having = (member: string, body: object = yidBody): unknown =>
  JSON.parse(JSON.stringify(body).replace('{', `{${member},`));

const outOfLayout = {
  create_token_account: 'always',
  nonce_account: bob,
  transaction_version: 1,
  priority_fee: '5000001',
  splits: [{ to_address: usdc, amount: '1' }],
};

const shapes = [
  ...to(memoPath, {
    nothing: {},
    'an array': [yidBody],
    null: null,
    'a text': JSON.stringify(yidBody),
    'a number': 1e6,
    true: true,
    'neither memo nor yid': createBody,
    'both memo and yid': { ...memoBody, yid: 'y' },
    'null as memo and as yid': { ...memoBody, memo: null, yid: null },
    'faults in memo and yid': { ...memoBody, memo: '', yid: 'a'.repeat(917) },
    'a boolean as memo': { ...createBody, memo: true },
    'a memo one byte too long': { ...createBody, memo: 'a'.repeat(917) },
    'a yid that is too long in bytes': { ...createBody, yid: 'é'.repeat(459) },
    'a memo one byte too long in version 1': { ...memoBody, memo: 'a'.repeat(3768), transaction_version: 1 },
    'a memo that is too long next to a payer': { ...memoBody, memo: 'a'.repeat(821), fee_payer: bob },
    'a memo that is too long next to a reference': { ...memoBody, memo: 'a'.repeat(884), references: [bob] },
    'several faults': { from_address: 1, to_address: 'O0', extra: 1, memo: '', yid: 2, amount: '1.5' },
  }),
  ...to(createPath, {
    'nothing at all': {},
    'a misspelled amount alone': { from_address: alice, to_address: bob, token_mint_address: alice, ammount: '1' },
    'both memo and yid, neither needed': { ...memoBody, yid: 'y' },
    'all its fields inside __proto__': JSON.parse(`{"__proto__":${JSON.stringify(createBody)}}`),
  }),
  ...to(paths.transfers, {
    'an amount for a machine and one for people': { ...createBody, amount_decimal: '1.5' },
    'no amount': { from_address: alice, to_address: bob, token_mint_address: alice },
    'faults of splits': {
      ...createBody,
      splits: [
        { to_address: alice, amount: '1' },
        { to_address: 'x', amount: '0' },
        { to_address: bob, amount: 5, memo: 'x' },
        {},
        1,
      ],
    },
    'six splits': { ...createBody, splits: Array.from({ length: 6 }, () => ({ to_address: bob, amount: '1' })) },
    'all that the x402 layout has no room for': { ...createBody, ...outOfLayout, layout: 'x402' },
    'all that the MPP layout has no room for': { ...createBody, ...outOfLayout, layout: 'mpp', memo: 'x'.repeat(567) },
    'a lifetime that is none': { ...createBody, recent_blockhash: 'x', last_valid_block_height: '1.5' },
    'a height without its blockhash': { ...createBody, last_valid_block_height: '7' },
    'a blockhash and a nonce': { ...createBody, recent_blockhash: bob, nonce_account: bob },
  }),
];

const types = creating({
  'a number as amount': { amount: 1_500_000 },
  'a number with a fraction as amount': { amount: 1.5 },
  // 9007199254740993 is not a double.
  'a number that lost digits as amount': JSON.parse('{"amount":9007199254740993}'),
  'null as amount': { amount: null },
  'null as an address': { to_address: null },
  'an array as address': { to_address: [alice] },
  'an object as address': { from_address: {} },
  'an object 2,000 deep as amount': JSON.parse(`{"amount":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`),
  'a number as price': { priority_fee: 25_000 },
  'other types in options': {
    fee_payer: 5,
    nonce_account: [bob],
    allow_off_curve_recipient: 'true',
    simulate: 1,
    summary: {},
  },
  'a text as references': { references: bob },
  'an object as references': { references: { 0: bob } },
  'a number and null among references': { references: [bob, 1, null] },
});

const values = creating({
  'other choices': { transaction_version: 2, encoding: 'hex', checks: 'some' },
  'choices in other types': { transaction_version: '0', encoding: 64, checks: false },
  'a price that is none': { priority_fee: 'Low' },
  'a price past all numbers': { priority_fee: '18446744073709551616' },
  'references that are no addresses': { references: ['', bob, 'l'] },
  'references that repeat one': { references: [bob, alice, bob, bob] },
  'eleven references': { references: elevenAddresses },
  'a name in place of an address, and a symbol in place of a mint': { to_address: 'bob', token_mint_address: 'USDC' },
  'what is not seen': {
    to_address: `${alice}\u200b`,
    amount: '1\u00a00',
    references: [alice, `\ufeff${alice}`],
    priority_fee: 'low\ufeff',
    encoding: '\u202abase64\u202c',
  },
  'a decimal point, and a number past all': { amount: '1.5', nonce_account: '', fee_payer: '1'.repeat(10_000) },
  'an amount past all': { amount: '9'.repeat(10_000) },
  'a sender that cannot sign': { from_address: offCurve },
  'a payer that cannot sign': { fee_payer: offCurve },
  'the sender as recipient': { to_address: alice },
  'an empty memo': { memo: '' },
  'an empty yid': { yid: '' },
  'a lone surrogate': { yid: 'a\udfffb' },
  'a memo that costs too much to run': { memo: '😀'.repeat(120) },
  'an API key': { memo: `my key: ${generateApiKey()}` },
  'an API key as yid': { yid: generateApiKey() },
  'faults of every kind': {
    summary: 1,
    references: ['x y'],
    checks: 'all',
    fee_payer: 'l',
    from_address: 'O',
    encoding: 5,
  },
});

const names = [
  ...creating({
    'a misspelled amount': { ammount: '1' },
    'other spellings': { fromAddress: alice, AMOUNT: '1', 'token-mint-address': '1', 'priority fee': 'low' },
    'names of other services': { from: alice, recipient: alice, mint: alice, value: '1', payer: alice },
    'misspelled options': { feePayer: alice, simulat: true, refrences: [] },
    'a name with what is not seen, and a space': { 'memo\u200b': '1', 'memo ': '1' },
    'no name, and the characters of pointers': { '': '1', '~a/b~1/': '1', 0: '1' },
    'a name of 1,000 characters': { ['n'.repeat(1000)]: '1' },
    'names of nothing here': { blockhash: alice, compute_budget: '1', amount: '' },
    'more unknown fields than are listed, after which comes a known one': {
      ...Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`unknown${index}`, 1])),
      memo: '',
    },
  }),
  ...to(memoPath, {
    'a lone surrogate in a name': having('"\\ud800":1'),
    'the name __proto__': having('"__proto__":{"amount":"5","memo":"m"}'),
    'names that every object has': having('"constructor":1,"hasOwnProperty":1,"toString":1,"valueOf":1,"toJSON":1'),
  }),
];

// Of the faults that a refusal lists.
const mostShown = 8;

function refusalOf(path: SinglePath, body: unknown): string[] {
  try {
    readTransfer(path, body);
  } catch (error) {
    if (!isAppError(error, 'invalid_request')) throw error;
    const faults = error.findings.map(({ code, pointer, detail }) => `  ${pointer} ${code}: ${detail}`);
    const more = faults.length > mostShown ? ['  ...'] : [];
    return [error.message.slice(0, error.message.indexOf(':') + 1), ...faults.slice(0, mostShown), ...more];
  }
  return assert.fail(JSON.stringify(body));
}

test('Each body is refused for all its faults at once, each with its code, its pointer and its sentence', (t) => {
  const sections = [...shapes, ...types, ...values, ...names].map(({ name, path, body }) =>
    [`${name} (${path})`, ...refusalOf(path, body), ''].join('\n'),
  );
  t.assert.fileSnapshot(sections.join('\n').toWellFormed(), snapshot, { serializers: [String] });
});
