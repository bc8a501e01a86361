import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupedAmount, tokens } from '../../../src/links/page/pay-state.ts';

test('whole digits are in groups of three from five on, by a small space', () => {
  for (const [amount, decimals, text] of [
    [25_000_000n, 6, '25.00'],
    [9_999_990_000n, 6, '9999.99'],
    [12_500_000_000n, 6, '12\u202f500.00'],
    [1_234_567_891_234_567n, 6, '1\u202f234\u202f567\u202f891.234567'],
    [1_234n, 0, '1234'],
    [12_345n, 0, '12\u202f345'],
    [1n, 9, '0.000000001'],
  ] as const) {
    assert.equal(groupedAmount(amount, decimals), text);
  }
});

test('an amount has the symbol of its token, and that of one without a symbol is of tokens', () => {
  assert.equal(tokens(12_500_000n, { decimals: 6, tokenSymbol: ' USDC\n' }), '12.50 USDC');
  for (const tokenSymbol of [null, '', ' ']) {
    assert.equal(tokens(12_500_000n, { decimals: 6, tokenSymbol }), '12.50 tokens');
  }
  assert.equal(tokens(1n, { decimals: 0, tokenSymbol: null }), '1 token');
  assert.equal(tokens(1n, { decimals: 0, tokenSymbol: 'SEAT' }), '1 SEAT');
  assert.equal(tokens(1_000_000n, { decimals: 6, tokenSymbol: null }), '1.00 tokens');
});
