import type { WordedFinding } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { describeType, type FieldValues, readFieldValue } from './field-values.ts';
import { fieldNames, isFieldName, isOptionName, neededFields, optionNames } from './fields.ts';
import { paths, type TransferPath } from './routes.ts';
import { findSimilarName } from './similar-name.ts';

/** A body whose shape was read: the operation that it asks for, its values, and every fault of its shape. */
export interface ReadBody {
  operation: Operation;
  values: FieldValues;
  /** Of fields that are unknown, the first `maxUnknownFields` only. */
  findings: readonly WordedFinding[];
  /** How many more unknown fields there are. */
  unlistedCount: number;
}

/** The most unknown fields that are described: a small body may have thousands, each with a sentence of its own. */
const maxUnknownFields = 100;

/**
 * Reads the shape of a parsed JSON body: which operation it chooses, fields that are missing, unknown or of a wrong type.
 *
 * What the texts themselves say is not judged here. Never throws: every fault is a finding.
 */
export function readBody(path: TransferPath, body: unknown): ReadBody {
  const takesMemo = path === paths.memoTransfer;
  if (!isObject(body)) {
    const detail = `The body is ${describeType(body)} and must be a JSON object.`;
    const operation: Operation = takesMemo ? 'memo_transfer' : 'create_transfer';
    return { operation, values: {}, findings: [{ code: 'wrong_type', pointer: '', detail }], unlistedCount: 0 };
  }

  const findings: WordedFinding[] = [];
  const operation = chooseOperation(takesMemo, body, findings);
  const values: FieldValues = {};
  let unknownCount = 0;
  for (const name of Object.keys(body)) {
    if (isFieldName(name)) {
      readFieldValue(name, body[name], values, findings);
    } else if (++unknownCount <= maxUnknownFields) {
      findings.push({ code: 'unknown_field', pointer: pointerTo(name), detail: explainUnknown(name) });
    }
  }
  for (const name of alwaysNeeded) {
    if (!Object.hasOwn(body, name)) {
      findings.push({ code: 'missing_field', pointer: pointerTo(name), detail: `${name} is missing.` });
    }
  }
  return { operation, values, findings, unlistedCount: Math.max(0, unknownCount - maxUnknownFields) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function chooseOperation(takesMemo: boolean, fields: object, findings: WordedFinding[]): Operation {
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

// Of the operation without a memo, which has no others: memo and yid are judged when the operation is chosen.
const alwaysNeeded = neededFields('create_transfer');

const mainNames = fieldNames.filter((name) => !isOptionName(name));

function explainUnknown(name: string): string {
  const meant = findSimilarName(name, fieldNames);
  const hint = meant
    ? `Did you mean ${meant}?`
    : `The fields are ${mainNames.join(', ')}; optional ones are ${optionNames.join(', ')}.`;
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
