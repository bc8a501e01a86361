import type { Finding } from '../errors.ts';
import { type FieldName, fieldSchemas, fieldsOf, paths, type RequestKind } from './fields.ts';

/** A body whose shape was read: the kind of request it is, its texts by field, and every fault of its shape. */
export interface ReadBody {
  kind: RequestKind;
  texts: Partial<Record<FieldName, string>>;
  findings: readonly Finding[];
}

/**
 * Reads the shape of a parsed JSON body: which operation it chooses, fields that are missing, unknown or no string.
 *
 * What the texts themselves say is not judged here. Never throws: every fault is a finding.
 */
export function readBody(path: (typeof paths)[keyof typeof paths], body: unknown): ReadBody {
  const takesMemo = path === paths.memoTransfer;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const detail = `The body is ${describeType(body)} and must be a JSON object.`;
    const kind = takesMemo ? 'memo_transfer' : 'create_transfer';
    return { kind, texts: {}, findings: [{ code: 'wrong_type', pointer: '', detail }] };
  }

  const findings: Finding[] = [];
  const fields = new Map<string, unknown>(Object.entries(body));
  const kind = chooseKind(takesMemo, fields, findings);
  const allowed: readonly string[] = takesMemo ? [...fieldsOf.memo_transfer, 'yid'] : fieldsOf.create_transfer;

  const texts: Partial<Record<FieldName, string>> = {};
  for (const [name, value] of fields) {
    if (!isFieldName(name) || !allowed.includes(name)) {
      findings.push({ code: 'unknown_field', pointer: pointerTo(name), detail: explainUnknown(name, allowed) });
    } else if (typeof value !== 'string') {
      findings.push({ code: 'wrong_type', pointer: pointerTo(name), detail: explainType(name, value) });
    } else {
      texts[name] = value;
    }
  }
  for (const name of fieldsOf.create_transfer) {
    if (!fields.has(name)) {
      findings.push({ code: 'missing_field', pointer: pointerTo(name), detail: `${name} is missing.` });
    }
  }
  return { kind, texts, findings };
}

function chooseKind(takesMemo: boolean, fields: ReadonlyMap<string, unknown>, findings: Finding[]): RequestKind {
  if (!takesMemo) return 'create_transfer';
  const hasMemo = fields.has('memo');
  const hasYid = fields.has('yid');
  if (hasMemo && hasYid) {
    const detail = 'memo and yid are both present. Send memo, or yid, not both.';
    findings.push({ code: 'memo_and_yid', pointer: '/yid', detail });
  } else if (!hasMemo && !hasYid) {
    const detail = 'memo and yid are both missing. Send memo, or yid; one of them chooses the operation.';
    findings.push({ code: 'memo_or_yid_required', pointer: '', detail });
  }
  return hasYid && !hasMemo ? 'yid_transfer' : 'memo_transfer';
}

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(fieldSchemas, name);
}

function explainUnknown(name: string, allowed: readonly string[]): string {
  const lowerCase = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const meant = allowed.find((field) => field.replaceAll('_', '') === lowerCase);
  const hint = meant ? `Did you mean ${meant}?` : `The fields of this operation are ${allowed.join(', ')}.`;
  return `${quote(name)} is not a field of this operation. ${hint}`;
}

function explainType(name: FieldName, value: unknown): string {
  const hint =
    name === 'amount'
      ? ' with base units in it, the smallest unit of the token: for a mint with 6 decimals "1500000" is 1.5 tokens'
      : '';
  return `${name} is ${describeType(value)} and must be a JSON string${hint}.`;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
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
