import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FindingCode, type FindingOf, findingCodes, type WarningCode, type WarningOf } from 'splwright-core';
import { describeFinding } from '../../../src/wire/refusal.ts';
import { describeWarning, warningMeanings } from '../../../src/wire/words/warning-words.ts';
import { everyFindingContext, everyWarningContext } from './every-context.ts';

const isFindingCode = (text: string): text is FindingCode => text in findingCodes;
const isWarningCode = (text: string): text is WarningCode => text in warningMeanings;

function findingsOf<Code extends FindingCode>(code: Code): FindingOf<Code>[] {
  return everyFindingContext[code].map((context) => ({ code, field: 'from', context }));
}

function warningsOf<Code extends WarningCode>(code: Code): WarningOf<Code>[] {
  return everyWarningContext[code].map((context) => ({ code, context }));
}

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

test('A fee payer is told how much to have: the cost, and the least that a wallet may keep', () => {
  const of = (balance: bigint): string => {
    const [finding] = findingsOf('insufficient_sol');
    assert.ok(finding);
    return describeFinding({ ...finding, context: { ...finding.context, balance } }, 'memo').detail;
  };
  const remedy =
    'An account holds a minimum for its place on the ledger: a wallet may keep nothing, or at least 890880 lamports ' +
    '(0.00089088 SOL). Fund it to at least 895880 lamports (0.00089588 SOL).';
  assert.ok(of(4_000n).endsWith(`; it lacks 1000 lamports (0.000001 SOL). ${remedy}`), of(4_000n));
  assert.ok(of(6_000n).endsWith(`; that would leave 1000 lamports (0.000001 SOL). ${remedy}`), of(6_000n));
});

test('A warning about a recipient off the curve begins with it: no key exists for the owner of the tokens', () => {
  const [, alone, , both] = warningsOf('recipient_never_used');
  for (const warning of [alone, both]) {
    assert.ok(warning);
    const start = `No key exists for ${warning.context.offCurve.join(', ')}, which would own these tokens`;
    assert.ok(describeWarning(warning).detail.startsWith(start));
  }
});

test('A warning about a memo lists five characters, and counts the rest', () => {
  const [few, many] = warningsOf('memo_control_characters').map((warning) => describeWarning(warning).detail);
  assert.match(few ?? '', /\(U\+0001\)/);
  assert.match(many ?? '', /\(U\+0001, U\+0002, U\+0003, U\+0004, U\+0005 and 2 more\)/);
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
