import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findingCodes } from 'splwright-core';
import { refusalOf } from '../../../src/app/validate.ts';
import { describeFinding, refusalOfTransfer } from '../../../src/transfers/words/finding-words.ts';
import { describeWarning, warningMeanings } from '../../../src/transfers/words/warning-words.ts';
import { findingsOf, isFindingCode, isWarningCode, warningsOf } from './every-context.ts';

// How an amount is written; what "Fund it to at least" has added to the cost, which a test of its own reads; and what sentences count from 1.
const unnamed = ['decimals', 'minimumBalance', 'index'];

// Nothing is said of what is zero.
function numbersIn(value: unknown): string[] {
  if (typeof value === 'number' || typeof value === 'bigint') return value > 0 ? [`${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (unnamed.includes(name) ? [] : numbersIn(part)));
}

function assertIsSentence(text: string, context: object): void {
  assert.match(text, /^\S.*[^.\s]\.$/, `ends with a full stop: ${text}`);
  assert.doesNotMatch(text, /undefined|null|NaN|\[object| {2}|\.\./, `has no gap: ${text}`);
  for (const number of numbersIn(context)) {
    assert.match(text, new RegExp(`(?<![0-9])${number}(?![0-9])`), `names the number ${number}: ${text}`);
  }
}

describe('every finding in every variant is a sentence that names its numbers:', () => {
  for (const code of Object.keys(findingCodes).filter(isFindingCode)) {
    test(code, () => {
      const findings = findingsOf(code);
      assert.ok(findings.length > 0);
      for (const finding of findings) assertIsSentence(describeFinding(finding, 'memo').detail, finding.context);
    });
  }
});

describe('every warning in every variant is a sentence that names its numbers:', () => {
  for (const code of Object.keys(warningMeanings).filter(isWarningCode)) {
    test(code, () => {
      const warnings = warningsOf(code);
      assert.ok(warnings.length > 0);
      for (const warning of warnings) assertIsSentence(describeWarning(warning).detail, warning.context);
    });
  }
});

test('Variants of one finding differ in their words', () => {
  for (const code of Object.keys(findingCodes).filter(isFindingCode)) {
    const sentences = findingsOf(code).map((finding) => describeFinding(finding, 'memo').detail);
    assert.equal(new Set(sentences).size, sentences.length, code);
  }
});

test('A finding about the memo is about the field that the memo came in, and one of a reference names its index', () => {
  const context = { fault: 'empty' } as const;
  for (const field of ['memo', 'yid'] as const) {
    const { pointer, detail } = describeFinding({ code: 'invalid_memo', field: 'memo', context }, field);
    assert.deepEqual([pointer, detail.startsWith(`${field} is empty`)], [`/${field}`, true]);
  }
  const fault = { kind: 'wrong_length', byteLength: 31 } as const;
  const described = describeFinding({ code: 'invalid_address', field: { references: 3 }, context: { fault } }, 'memo');
  assert.equal(described.pointer, '/references/3');
});

test('A refusal has the code and the sentence of the first finding, counts the others, and lists 100 of them', () => {
  const [mint] = findingsOf('mint_paused');
  const [program] = findingsOf('recipient_is_program');
  assert.ok(mint && program);
  const [first, second] = [describeFinding(mint, 'memo'), describeFinding(program, 'memo')];
  const both = refusalOfTransfer([mint, program], 'memo', {});
  assert.deepEqual([both.code, both.findings], ['mint_paused', [first, second]]);
  assert.equal(both.message, `${first.detail} (and 1 more, in errors)`);
  assert.equal(refusalOf([first]).message, first.detail);
  const many = (count: number) => refusalOf([first, ...Array.from({ length: count - 1 }, () => second)]);
  assert.equal(many(100).message, `${first.detail} (and 99 more, in errors)`);
  assert.equal(many(101).message, `${first.detail} (and 100 more, 99 of them in errors)`);
  assert.equal(many(101).findings.length, 100);
});
