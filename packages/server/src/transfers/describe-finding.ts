import type { Finding, FindingCode, FindingField, FindingOf } from 'splwright-core';
import { refusalOf } from '../app/refusal.ts';
import { sandboxWorldPath } from '../app/schema-parts.ts';
import type { AppError, DescribedFinding } from '../problems.ts';
import { fieldNames } from './transfer-inputs.ts';
import { paths } from './transfer-schema.ts';
import { findingWords } from './words/finding-words.ts';

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
  if (typeof field === 'string') return field === 'memo' ? memoField : fieldNames[field];
  if ('references' in field) return `${fieldNames.references}/${field.references}`;
  if ('split' in field) return `${fieldNames.splits}/${field.split}/${fieldNames[field.part]}`;
  const name = `${fieldNames.transfers}/${field.transfer}/${fieldNames[field.part]}`;
  return 'index' in field ? `${name}/${field.index}` : name;
}

function sentenceOf<Code extends FindingCode>(
  { code, context }: FindingOf<Code>,
  name: string,
  isOnSandbox: boolean,
): string {
  return findingWords[code](context, { name, paths, sandboxWorldPath: isOnSandbox ? sandboxWorldPath : undefined });
}

/** The refusal of a transfer that would not land: every reason in words, the first of them as its own. */
export function refusalOfTransfer(
  [first, ...others]: readonly [Finding, ...Finding[]],
  memoField: MemoField,
  isOnSandbox: boolean,
): AppError {
  const describe = (finding: Finding): DescribedFinding => describeFinding(finding, memoField, isOnSandbox);
  return refusalOf([describe(first), ...others.map(describe)]);
}
