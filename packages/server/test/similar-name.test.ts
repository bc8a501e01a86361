import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSimilarName } from '../src/similar-name.ts';
import { batchBody, tokenTransferBody, transferBody } from '../src/transfers/transfer-schema.ts';

const fields: readonly string[] = Object.keys({
  ...tokenTransferBody.properties,
  ...transferBody.properties,
  ...batchBody.properties,
});
const letters = 'abcdefghijklmnopqrstuvwxyz';

const meant: readonly [misspelled: string, field: string][] = [
  ['ammount', 'amount'],
  ['amout', 'amount'],
  ['amaunt', 'amount'],
  ['AMOUNT', 'amount'],
  ['fromAddress', 'from_address'],
  ['from_adress', 'from_address'],
  ['form_address', 'from_address'],
  ['to_adres', 'to_address'],
  ['address', 'to_address'],
  ['token-mint-address', 'token_mint_address'],
  ['tokenMintAdress', 'token_mint_address'],
  ['memos', 'memo'],
  ['mmeo', 'memo'],
  ['memo ', 'memo'],
  ['fee_payor', 'fee_payer'],
  ['feepayer', 'fee_payer'],
  ['priority_fees', 'priority_fee'],
  ['reference', 'references'],
  ['allow_offcurve_recipient', 'allow_off_curve_recipient'],
  ['check', 'checks'],
  ['sumary', 'summary'],
  ['simulat', 'simulate'],
];

for (const [misspelled, field] of meant) {
  test(`${JSON.stringify(misspelled)} was meant to be ${field}`, () => {
    assert.equal(findSimilarName(misspelled, fields), field);
  });
}

test('A name that is like none is not guessed', () => {
  const names = ['', ' ', '0', '_', 'id', 'mo', 'to', 'from', 'mint', 'payer', 'amnt', 'yd', 'ids'];
  for (const name of [
    ...names,
    'constructor',
    '__proto__',
    'prototype',
    'valueOf',
    'extra',
    '支付',
    'a'.repeat(99_999),
  ]) {
    assert.equal(findSimilarName(name, fields), undefined, name.slice(0, 20));
  }
});

test('The nearest name is meant, and of two as near the first', () => {
  assert.equal(findSimilarName('abcdefgx', ['abcdefxx', 'abcdefgh']), 'abcdefxx');
  assert.equal(findSimilarName('abcdefgy', ['abcdefxx', 'abcdefgh']), 'abcdefgh');
  assert.equal(findSimilarName('amount', []), undefined);
});

test('Two edits of a third of the letters or more are too many, and so are three of any', () => {
  assert.equal(findSimilarName('abcdexx', ['abcdefg']), 'abcdefg');
  assert.equal(findSimilarName('abcdxx', ['abcdef']), undefined);
  assert.equal(findSimilarName('abcx', ['abcd']), 'abcd');
  assert.equal(findSimilarName('abx', ['abc']), undefined);
  assert.equal(findSimilarName('abcdefghijklxx', ['abcdefghijklmn']), 'abcdefghijklmn');
  assert.equal(findSimilarName('abcdefghijkxxx', ['abcdefghijklmn']), undefined);
});

test('One letter added to, dropped from or replaced in any field is fixed, whichever and wherever', () => {
  for (const field of fields) {
    for (let at = 0; at < field.length; at++) {
      const [before, from, after] = [field.slice(0, at), field.slice(at), field.slice(at + 1)];
      const misspelled = [
        before + after,
        ...[...letters].flatMap((added) => [before + added + from, before + added + after]),
      ];
      for (const name of misspelled) {
        // One letter away from two fields: the first of them is as good as the other.
        if (['amount_man', 'amount_mix', 'nwrap', 'uwrap'].includes(name)) continue;
        // These are so short that another letter makes another word of them.
        const isFixed = !['yid', 'tip'].includes(field) || name === field;
        assert.equal(findSimilarName(name, fields), isFixed ? field : undefined, name);
      }
    }
  }
});
