import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding } from '../../src/findings/finding.ts';
import { parseTransferRequest, type TransferInputs } from '../../src/request/parse-transfer-request.ts';
import { freshWallet, goodInputs, memoOf } from '../fixtures.ts';

function findingsOf(texts: TransferInputs): readonly Finding[] {
  return parseTransferRequest(texts).findings;
}

/** The field and the code of each finding. */
const faultsOf = (texts: TransferInputs): string[][] =>
  findingsOf(texts).map(({ field, code }) => [String(field), code]);

function onlyFindingOf(texts: TransferInputs): Finding {
  const [finding, ...others] = findingsOf(texts);
  assert.ok(finding && others.length === 0, 'one finding, no more');
  return finding;
}

describe('texts without a fault are parsed', () => {
  test('with the memo as it is', () => {
    const { parts, findings } = parseTransferRequest({ ...goodInputs, memo: ' 4711\n' });
    assert.deepEqual([parts.memo, parts.createTokenAccount], [memoOf(' 4711\n'), 'never']);
    assert.deepEqual([parts.from, parts.to, parts.mint], [goodInputs.from, goodInputs.to, goodInputs.mint]);
    assert.deepEqual([parts.amount, parts.feePayer, findings], [1_500_000n, goodInputs.from, []]);
  });
});

describe('the blockhash of a request', () => {
  const recentBlockhash = 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W';

  test('is there with the height that the caller knows, or without', () => {
    const parsed = (lastValidBlockHeight?: string) =>
      parseTransferRequest({ ...goodInputs, recentBlockhash, lastValidBlockHeight });
    for (const [text, height] of [
      [undefined, undefined],
      ['0', 0n],
      [`${2n ** 64n - 1n}`, 2n ** 64n - 1n],
    ] as const) {
      const { parts, findings } = parsed(text);
      assert.deepEqual(parts.recentBlockhash, { blockhash: recentBlockhash, lastValidBlockHeight: height });
      assert.deepEqual(findings, []);
    }
    for (const text of ['', '01', '-1', '1.5', `${2n ** 64n}`]) {
      assert.deepEqual(parsed(text).findings, [
        {
          code: 'invalid_value',
          field: 'lastValidBlockHeight',
          context: { kind: 'not_a_block_height', max: 2n ** 64n - 1n },
        },
      ]);
    }
  });

  test('is refused where it is none, next to a nonce account, and where only its height is there', () => {
    assert.deepEqual(faultsOf({ ...goodInputs, recentBlockhash: 'O' }), [['recentBlockhash', 'invalid_address']]);
    const both = onlyFindingOf({ ...goodInputs, recentBlockhash, nonceAccount: freshWallet() });
    assert.deepEqual([both.field, both.context], ['recentBlockhash', { conflict: 'blockhash_and_nonce' }]);
    const alone = onlyFindingOf({ ...goodInputs, lastValidBlockHeight: '7' });
    assert.deepEqual([alone.field, alone.context], ['lastValidBlockHeight', { conflict: 'height_without_blockhash' }]);
  });
});

test('up to five splits are parsed, each with its recipient and its amount or with what is wrong with them', () => {
  const splits = Array.from({ length: 5 }, (_, index) => ({ to: freshWallet(), amount: `${index + 1}` }));
  const { parts, findings } = parseTransferRequest({ ...goodInputs, splits });
  assert.deepEqual([parts.splits, findings], [splits.map(({ to, amount }) => ({ to, amount: BigInt(amount) })), []]);
  const six = parseTransferRequest({ ...goodInputs, splits: [...splits, { to: '', amount: '' }] });
  const context = { kind: 'too_many', count: 6, max: 5 };
  assert.deepEqual([six.parts.splits, six.findings], [[], [{ code: 'invalid_value', field: 'splits', context }]]);
  const faulty = parseTransferRequest({
    ...goodInputs,
    splits: [
      { to: '', amount: '7' },
      { ...splits[1], amount: '0' },
    ],
  });
  assert.deepEqual(faulty.parts.splits, [{ amount: 7n }, { to: splits[1]?.to }]);
  assert.deepEqual(
    faulty.findings.map(({ code, field }) => [code, field]),
    [
      ['invalid_address', { split: 0, part: 'to' }],
      ['invalid_amount', { split: 1, part: 'amount' }],
    ],
  );
});

test('every fault is reported at once, each with its field', () => {
  const texts = {
    ...goodInputs,
    from: 'x'.repeat(70),
    to: '',
    mint: '0',
    amount: '1.5',
    memo: '\ud800',
  };
  assert.deepEqual(faultsOf(texts), [
    ['from', 'invalid_address'],
    ['to', 'invalid_address'],
    ['mint', 'invalid_address'],
    ['amount', 'invalid_amount'],
    ['memo', 'invalid_memo'],
  ]);
});

describe('the context says what is wrong', () => {
  test('with an address', () => {
    const finding = onlyFindingOf({ ...goodInputs, to: 'abc0', memo: 'x' });
    const fault = { kind: 'invalid_character', character: '0', index: 3 };
    assert.deepEqual(finding, { code: 'invalid_address', field: 'to', context: { fault } });
  });

  test('with an amount, and the largest one', () => {
    const finding = onlyFindingOf({ ...goodInputs, amount: '1.5', memo: 'x' });
    const context = { fault: 'decimal_point', max: 2n ** 64n - 1n };
    assert.deepEqual(finding, { code: 'invalid_amount', field: 'amount', context });
  });

  test('with a memo', () => {
    for (const [memo, fault] of [
      ['', 'empty'],
      ['\udc00', 'lone_surrogate'],
    ] as const) {
      const finding = onlyFindingOf({ ...goodInputs, memo });
      assert.deepEqual(finding, { code: 'invalid_memo', field: 'memo', context: { fault } });
    }
  });

  test('with references: too many, one twice, and one that is not an address, by its index', () => {
    const [one, two] = [freshWallet(), freshWallet()];
    const of = (references: readonly string[]): Finding => onlyFindingOf({ ...goodInputs, memo: 'x', references });
    const code = 'invalid_value';
    const eleven = Array.from({ length: 11 }, () => one);
    assert.deepEqual(of(eleven), { code, field: 'references', context: { kind: 'too_many', count: 11, max: 10 } });
    const field = { references: 2 };
    assert.deepEqual(of([one, two, one]), { code, field, context: { kind: 'repeated', address: one } });
    assert.deepEqual(of([one, two, '']), { code: 'invalid_address', field, context: { fault: { kind: 'empty' } } });
  });
});
