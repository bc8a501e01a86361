import type { Finding, FindingCode, FindingField, FindingOf } from 'splwright-core';
import { AppError, type DescribedFinding, type ProblemCode } from '../problems.ts';
import { findingWords } from '../transfers/words/finding-words.ts';
import { fields } from './field-table.ts';
import { fieldNames } from './fields.ts';
import { paths, routes } from './openapi/route-table.ts';
import { describeHidden } from './visible-text.ts';

/** The field that the memo of a request came in: the core knows one memo. */
export type MemoField = 'memo' | 'yid';

/**
 * Describes a finding of the core in a sentence, with the JSON pointer to the field of the request that it is about.
 *
 * `isOnSandbox`: whether the service runs on a sandbox of its own.
 */
export function describeFinding(finding: Finding, memoField: MemoField, isOnSandbox = false): DescribedFinding {
  const name = nameOf(finding.field, memoField);
  return { code: finding.code, pointer: `/${name}`, detail: sentenceOf(finding, name, isOnSandbox) };
}

function nameOf(field: FindingField, memoField: MemoField): string {
  if (typeof field === 'object') {
    if ('references' in field) return `${nameOf('references', memoField)}/${field.references}`;
    if ('transfer' in field) return nameInTransfer(field);
    return `${nameOf('splits', memoField)}/${field.split}/${nameOf(field.part, memoField)}`;
  }
  if (field === 'transfers') return field;
  const property = field === 'memo' ? memoField : field;
  const name = fieldNames.find((each) => fields[each].property === property);
  if (name === undefined) throw new TypeError(`no field of a request is ${property}`);
  return name;
}

function nameInTransfer(field: Extract<FindingField, { transfer: number }>): string {
  const name = `transfers/${field.transfer}/${nameOf(field.part, 'memo')}`;
  return 'index' in field ? `${name}/${field.index}` : name;
}

function sentenceOf<Code extends FindingCode>(
  { code, context }: FindingOf<Code>,
  name: string,
  isOnSandbox: boolean,
): string {
  const sandboxWorldPath = isOnSandbox ? routes.showSandboxWorld.path : undefined;
  return findingWords[code](context, { name, paths, sandboxWorldPath });
}

/** The refusal of a transfer that would not land: every reason in words, the first of them as its own. */
export function refusalOfTransfer(
  [first, ...others]: readonly [Finding, ...Finding[]],
  memoField: MemoField,
  isOnSandbox: boolean,
): AppError {
  return refusalOf([
    describeFinding(first, memoField, isOnSandbox),
    ...others.map((finding) => describeFinding(finding, memoField, isOnSandbox)),
  ]);
}

/** How many findings one refusal lists. */
const maxFindings = 100;

/** The refusal that has the code and the detail of the first of its findings, and lists 100 of them at most. */
export function refusalOf(findings: readonly [DescribedFinding, ...DescribedFinding[]]): AppError {
  const [first, ...others] = findings;
  const unlistedCount = Math.max(0, findings.length - maxFindings);
  const where = unlistedCount > 0 ? `${maxFindings - 1} of them in errors` : 'in errors';
  const more = others.length > 0 ? ` (and ${others.length} more, ${where})` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings: findings.slice(0, maxFindings) });
}

/**
 * The refusal of a request with faults of its own; `unlistedCount` more are not among `all`. Lists 100 at most.
 *
 * `body`: as it was parsed, in which the pointers of the findings lead to values.
 */
export function invalidRequest(all: readonly DescribedFinding[], unlistedCount: number, body: unknown): AppError {
  const count = all.length + unlistedCount;
  const listed = all.length > maxFindings ? knownFieldsFirst(all).slice(0, maxFindings) : all;
  const findings = listed.map((finding) => nameHidden(finding, body));
  const first = findings[0]?.detail ?? '';
  const more =
    count > findings.length ? ` (${findings.length} are listed, ${count - findings.length} more are not)` : '';
  const detail = `The request has ${count === 1 ? 'a fault' : `${count} faults${more}, the first`}: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

// A value with a hidden character looks right: whatever is wrong with it otherwise, that character is what to remove.
const ofValues: readonly ProblemCode[] = [
  'invalid_address',
  'invalid_amount',
  'invalid_block_height',
  'invalid_transaction',
  'invalid_value',
];

/** Returns a finding about a value that has hidden characters as one that names them; every other finding as it is. */
export function nameHidden(finding: DescribedFinding, body: unknown): DescribedFinding {
  const { code, pointer } = finding;
  // People read these, in any script.
  if (!ofValues.includes(code) || pointer === '/label' || pointer === '/message') return finding;
  const names = pointer.split('/').slice(1);
  const value = names.reduce<unknown>((parent, name) => Object(parent)[name], body);
  const fault = typeof value === 'string' ? describeHidden(value) : undefined;
  return fault === undefined ? finding : { ...finding, detail: `${names.join('/')} ${fault}.` };
}

// There may be thousands of unknown fields: findings about known fields come first.
function knownFieldsFirst(findings: readonly DescribedFinding[]): readonly DescribedFinding[] {
  const isUnknown = ({ code }: DescribedFinding): boolean => code === 'unknown_field';
  return [...findings.filter((finding) => !isUnknown(finding)), ...findings.filter(isUnknown)];
}
