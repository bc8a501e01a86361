import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { parseOptions, type TransferOptionInputs } from '../../src/request/parse-options.ts';
import { freshWallet } from '../chain-accounts.ts';

const from = freshWallet();

function parse(inputs: Omit<TransferOptionInputs, 'createTokenAccount'>) {
  const findings: Finding[] = [];
  const options = parseOptions({ createTokenAccount: 'never', ...inputs }, from, findings);
  return { options, findings };
}

test('options that were not given are those of a plain transfer', () => {
  assert.deepEqual(parse({}), {
    options: {
      layout: 'default',
      createTokenAccount: 'never',
      feePayer: from,
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

test('options that were given are taken', () => {
  const [feePayer, nonceAccount] = [freshWallet(), freshWallet()];
  const references = Array.from({ length: 10 }, freshWallet);
  const { options, findings } = parse({
    layout: 'x402',
    feePayer,
    nonceAccount,
    references,
    transactionVersion: 0,
    allowsOffCurveRecipient: true,
    checks: 'none',
    priorityFee: 'high',
  });
  assert.deepEqual(options, {
    layout: 'x402',
    createTokenAccount: 'never',
    feePayer,
    version: 0,
    priorityFee: { level: 'high' },
    nonceAccount,
    references,
    allowsOffCurveRecipient: true,
    checks: 'none',
  });
  assert.deepEqual(findings, []);
});

test('a fee payer is an address that a key can sign for', () => {
  const { address: feePayer } = findAssociatedTokenAddress({ owner: from, tokenProgram, mint: freshWallet() });
  assert.deepEqual(parse({ feePayer }).findings, [
    { code: 'fee_payer_off_curve', field: 'feePayer', context: { feePayer } },
  ]);
  const context = { fault: { kind: 'empty' } };
  assert.deepEqual(parse({ feePayer: '', nonceAccount: '' }).findings, [
    { code: 'invalid_address', field: 'feePayer', context },
    { code: 'invalid_address', field: 'nonceAccount', context },
  ]);
});

test('a priority fee is none, a level, or a price of up to 2^64-1', () => {
  for (const text of [undefined, 'none', '0']) {
    assert.deepEqual(parse({ priorityFee: text }), parse({}));
  }
  for (const level of ['low', 'medium', 'high'] as const) {
    assert.deepEqual(parse({ priorityFee: level }).options.priorityFee, { level });
  }
  for (const price of [1n, 10n ** 19n, 2n ** 64n - 1n]) {
    const { options, findings } = parse({ priorityFee: `${price}` });
    assert.deepEqual([options.priorityFee, findings], [{ microLamportsPerComputeUnit: price }, []]);
  }
});

test('a priority fee that is none of these is refused, with what the most is', () => {
  for (const text of ['', 'Low', 'max', '-1', '1.5', '01', '1e3', ' 1', '18446744073709551616', '1'.repeat(21)]) {
    const { options, findings } = parse({ priorityFee: text });
    const context = { kind: 'not_a_price', max: 18446744073709551615n };
    assert.deepEqual(findings, [{ code: 'invalid_value', field: 'priorityFee', context }]);
    assert.equal(options.priorityFee, undefined);
  }
});

test('each reference that is no address is a fault of its own, and is none of the references', () => {
  const reference = freshWallet();
  const { options, findings } = parse({ references: ['', reference, ''] });
  const context = { fault: { kind: 'empty' } };
  assert.deepEqual(findings, [
    { code: 'invalid_address', field: { references: 0 }, context },
    { code: 'invalid_address', field: { references: 2 }, context },
  ]);
  assert.deepEqual(options.references, [reference]);
});
