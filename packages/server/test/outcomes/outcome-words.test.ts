import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeVerdict, outcomeReasons } from '../../src/outcomes/outcome-words.ts';
import { everyVerdict, pendingReasons, seen, unknownReasons } from '../transfers/words/every-verdict.ts';

/** What the members of a verdict's JSON say and its sentences do not. */
const unnamed = ['blockTime', 'fee', 'payments', 'message', 'error', 'instructions'];

function numbersIn(value: object): string[] {
  return Object.entries(value).flatMap(([name, part]): string[] => {
    if (unnamed.includes(name)) return [];
    if (typeof part === 'number' || typeof part === 'bigint') return [`${part}`];
    return typeof part === 'object' && part !== null && !Array.isArray(part) ? numbersIn(part) : [];
  });
}

function signaturesIn(value: object): string[] {
  return Object.values(value)
    .flat()
    .filter((part): part is string => typeof part === 'string' && part.length === 88);
}

test('Every outcome in every variant is put into sentences that name its numbers and its signatures', () => {
  for (const verdict of everyVerdict) {
    const text = describeVerdict(verdict);
    assert.match(text, /^[A-Z].*[^.\s]\.$/, text);
    assert.doesNotMatch(text, /undefined|null|NaN|\[object| {2}|\.\.|\.[A-Z]| [.,;:]/, text);
    for (const number of numbersIn(verdict)) assert.match(text, new RegExp(`(?<![0-9])${number}(?![0-9])`), text);
    for (const signature of signaturesIn(verdict)) assert.ok(text.includes(signature), text);
  }
});

test('Variants differ in their words', () => {
  const texts = everyVerdict.map(describeVerdict);
  assert.equal(new Set(texts).size, texts.length);
});

test('Only what is final says that the payment can be built again', () => {
  for (const verdict of everyVerdict) {
    const isSafe =
      verdict.outcome === 'expired' || (verdict.outcome === 'failed' && verdict.commitment === 'finalized');
    const text = describeVerdict(verdict);
    assert.equal(/(?:^|\. |: )(?:fix the cause and b|B)uild the payment again/.test(text), isSafe, text);
    if (verdict.outcome === 'unknown') assert.match(text, /Do not build the payment again until that is certain\.$/);
  }
});

test('A failure says which instruction failed, and what the number means to the token program', () => {
  const instructions = everyVerdict.flatMap((verdict) =>
    verdict.outcome === 'failed' ? [verdict.instructions] : [],
  )[0];
  assert.ok(instructions);
  const explain = (error: unknown): string => describeVerdict({ outcome: 'failed', ...seen, error, instructions });
  assert.match(
    explain({ InstructionError: [1, { Custom: 1 }] }),
    /Instruction 2 failed, the transfer by SPL Token: the balance is too small \(custom error 0x1\)\./,
  );
  assert.match(explain({ InstructionError: [0, { Custom: 1 }] }), /Instruction 1 failed, the memo: custom error 0x1\./);
  assert.match(explain({ InstructionError: [9, 'X'] }), /Instruction 10 failed, an instruction: X\./);
  assert.match(explain('AccountInUse'), /The transaction failed as a whole: "AccountInUse"\./);
});

test('A failure whose fee payer could not pay says so, and that it was not executed', () => {
  const explain = (error: unknown, fee = 0n): string =>
    describeVerdict({ outcome: 'failed', ...seen, commitment: 'finalized', fee, error, instructions: [] });
  for (const [error, words] of [
    ['AccountNotFound', 'has no account'],
    ['InvalidAccountForFee', 'has an account that cannot pay fees'],
    ['InsufficientFundsForFee', 'has less than the fee'],
    [{ InsufficientFundsForRent: { account_index: 0 } }, 'would have less than the rent-exempt minimum after the fee'],
  ] as const) {
    assert.match(
      explain(error),
      new RegExp(`Its fee payer ${words} \\(\\w+\\), so it was not executed and cost nothing\\. .* can never land\\.`),
    );
  }
  // With a fee it was executed, and failed at its end.
  assert.match(
    explain({ InsufficientFundsForRent: { account_index: 2 } }, 5_000n),
    /The transaction failed as a whole/,
  );
  assert.match(explain('AccountInUse'), /The transaction failed as a whole: "AccountInUse"\./);
});

test('The table of reasons has every reason, as a sentence', () => {
  assert.deepEqual(Object.keys(outcomeReasons), [...pendingReasons, ...unknownReasons]);
  for (const meaning of Object.values(outcomeReasons)) assert.match(meaning, /^[A-Z`].*[^.]\.$/);
});
