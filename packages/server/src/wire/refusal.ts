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

/** How many findings one refusal lists. */
const maxFindings = 100;

/** The refusal that has the code and the detail of the first of its findings, and lists 100 of them at most. */
export function refusalOf(findings: readonly [WordedFinding, ...WordedFinding[]]): AppError {
  const [first, ...others] = findings;
  const unlistedCount = Math.max(0, findings.length - maxFindings);
  const where = unlistedCount > 0 ? `${maxFindings - 1} of them in errors` : 'in errors';
  const more = others.length > 0 ? ` (and ${others.length} more, ${where})` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings: findings.slice(0, maxFindings) });
}

/** The refusal of a request with faults of its own; `unlistedCount` more are not among `all`. Lists 100 at most. */
export function invalidRequest(all: readonly WordedFinding[], unlistedCount: number): AppError {
  const count = all.length + unlistedCount;
  const findings = all.length > maxFindings ? knownFieldsFirst(all).slice(0, maxFindings) : all;
  const first = findings[0]?.detail ?? '';
  const more =
    count > findings.length ? ` (${findings.length} are listed, ${count - findings.length} more are not)` : '';
  const detail = `The request has ${count === 1 ? 'a fault' : `${count} faults${more}, the first`}: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

// There may be thousands of unknown fields: findings about known fields come first.
function knownFieldsFirst(findings: readonly WordedFinding[]): readonly WordedFinding[] {
  const isUnknown = ({ code }: WordedFinding): boolean => code === 'unknown_field';
  return [...findings.filter((finding) => !isUnknown(finding)), ...findings.filter(isUnknown)];
}
