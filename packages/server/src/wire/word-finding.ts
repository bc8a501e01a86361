import type { Finding, FindingCode, FindingField, FindingOf } from 'splwright-core';
import type { WordedFinding } from '../errors.ts';
import { fields } from './field-table.ts';
import { fieldNames } from './fields.ts';
import { paths } from './routes.ts';
import { findingWords } from './words/finding-words.ts';

/** The field that the memo of a request came in: the core knows one memo. */
export type MemoField = 'memo' | 'yid';

/** Puts a finding of the core into words, with the JSON pointer to the field of the request that it is about. */
export function wordFinding(finding: Finding, memoField: MemoField): WordedFinding {
  const name = nameOf(finding.field, memoField);
  return { code: finding.code, pointer: `/${name}`, detail: sentenceOf(finding, name) };
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

function sentenceOf<Code extends FindingCode>({ code, context }: FindingOf<Code>, name: string): string {
  return findingWords[code](context, { name, paths });
}
