import type { Finding } from 'splwright-core';
import { AppError, type WordedFinding } from '../errors.ts';
import { type MemoField, wordFinding } from './word-finding.ts';

/** The refusal of a transfer that would not land: every reason in words, the first of them as its own. */
export function refusalOfTransfer(
  [first, ...others]: readonly [Finding, ...Finding[]],
  memoField: MemoField,
): AppError {
  return refusalOf([wordFinding(first, memoField), ...others.map((finding) => wordFinding(finding, memoField))]);
}

/** The refusal that has the code and the detail of the first of its findings, and lists them all. */
export function refusalOf(findings: readonly [WordedFinding, ...WordedFinding[]]): AppError {
  const [first, ...others] = findings;
  const more = others.length > 0 ? ` (and ${others.length} more, in errors)` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings });
}
