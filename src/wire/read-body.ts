import type { Finding } from '../errors.ts';
import { describeType, type FieldValues, readFieldValue } from './field-values.ts';
import { type FieldName, fieldSchemas, fieldsOf, optionFields, paths, type RequestKind } from './fields.ts';
import { findSimilarName } from './similar-name.ts';

/** A body whose shape was read: the kind of request it is, its values by field, and every fault of its shape. */
export interface ReadBody {
  kind: RequestKind;
  values: FieldValues;
  findings: readonly Finding[];
}

/**
 * Reads the shape of a parsed JSON body: which operation it chooses, fields that are missing, unknown or of a wrong type.
 *
 * What the texts themselves say is not judged here. Never throws: every fault is a finding.
 */
export function readBody(path: (typeof paths)[keyof typeof paths], body: unknown): ReadBody {
  const takesMemo = path === paths.memoTransfer;
  if (!isObject(body)) {
    const detail = `The body is ${describeType(body)} and must be a JSON object.`;
    const kind = takesMemo ? 'memo_transfer' : 'create_transfer';
    return { kind, values: {}, findings: [{ code: 'wrong_type', pointer: '', detail }] };
  }

  const findings: Finding[] = [];
  const kind = chooseKind(takesMemo, body, findings);
  const values: FieldValues = {};
  for (const name of Object.keys(body)) {
    if (isFieldName(name)) {
      readFieldValue(name, body[name], values, findings);
    } else {
      findings.push({ code: 'unknown_field', pointer: pointerTo(name), detail: explainUnknown(name) });
    }
  }
  for (const name of fieldsOf.create_transfer) {
    if (!Object.hasOwn(body, name)) {
      findings.push({ code: 'missing_field', pointer: pointerTo(name), detail: `${name} is missing.` });
    }
  }
  return { kind, values, findings };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function chooseKind(takesMemo: boolean, fields: object, findings: Finding[]): RequestKind {
  const hasMemo = Object.hasOwn(fields, 'memo');
  const hasYid = Object.hasOwn(fields, 'yid');
  if (hasMemo && hasYid) {
    const detail = 'memo and yid are both present. Send memo, or yid, not both.';
    findings.push({ code: 'memo_and_yid', pointer: '/yid', detail });
  } else if (takesMemo && !hasMemo && !hasYid) {
    const detail = 'memo and yid are both missing. Send memo, or yid; one of them chooses the operation.';
    findings.push({ code: 'memo_or_yid_required', pointer: '', detail });
  }
  if (!takesMemo) return 'create_transfer';
  return hasYid && !hasMemo ? 'yid_transfer' : 'memo_transfer';
}

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(fieldSchemas, name);
}

const needed = [...fieldsOf.memo_transfer, 'yid'] as const;

function explainUnknown(name: string): string {
  const meant = findSimilarName(name, [...needed, ...optionFields]);
  const hint = meant
    ? `Did you mean ${meant}?`
    : `The fields are ${needed.join(', ')}; optional ones are ${optionFields.join(', ')}.`;
  return `${quote(name)} is not a field of this operation. ${hint}`;
}

const longestNameShown = 64;

function quote(name: string): string {
  return JSON.stringify(name.length > longestNameShown ? `${name.slice(0, longestNameShown)}…` : name);
}

// RFC 6901: `~` and `/` inside a name are escaped. A name of any length is cut, as in the detail.
function pointerTo(name: string): string {
  const shown = (name.length > longestNameShown ? name.slice(0, longestNameShown) : name).toWellFormed();
  return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
