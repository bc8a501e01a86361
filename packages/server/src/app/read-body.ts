import type { Operation, TransferOperation } from '../operation.ts';
import type { DescribedFinding } from '../problems.ts';
import { pointerTo } from './field-names.ts';
import {
  describeType,
  type FieldValues,
  findAmountFaults,
  findBoundsFaults,
  hasValue,
  isObject,
  readFieldValue,
} from './field-values.ts';
import { type FieldName, fieldNames, isFieldName, neededFields, takesField } from './fields.ts';
import { paths, type TransferPath } from './openapi/route-table.ts';
import { type TakenFields, UnknownFields } from './unknown-fields.ts';

/** A body whose shape was read: the operation that it asks for, its values, and every fault of its shape. */
export interface ReadBody<Chosen extends Operation = TransferOperation> {
  operation: Chosen;
  values: FieldValues;
  /** Of unknown fields the first `maxUnknownFields`. */
  findings: readonly DescribedFinding[];
  /** How many more unknown fields there are. */
  unlistedCount: number;
}

/** The most unknown fields that are described: a small body may have thousands, each with a sentence of its own. */
const maxUnknownFields = 100;

/**
 * Reads the shape of a parsed JSON body: which operation it chooses, fields that are missing, unknown or of a wrong type.
 *
 * What the texts themselves say is not checked here. Never throws: every fault is a finding.
 */
export function readBody(path: TransferPath, body: unknown): ReadBody {
  return readShape(shapes[path], body);
}

/** Reads the shape of a parsed JSON body that asks for a payment link, as `readBody` does. */
export function readLinkShape(body: unknown): ReadBody<'payment_link'> {
  return readShape(linkShape, body);
}

function readShape<Chosen extends Operation>(shape: BodyShape<Chosen>, body: unknown): ReadBody<Chosen> {
  if (!isObject(body)) {
    const detail = `The body is ${describeType(body)} and must be a JSON object.`;
    const [operation] = shape.operations;
    return { operation, values: {}, findings: [{ code: 'wrong_type', pointer: '', detail }], unlistedCount: 0 };
  }

  const findings: DescribedFinding[] = [];
  const operation = shape.chooseOperation(body, findings);
  const values: FieldValues = {};
  const unknownFields = new UnknownFields();
  let unknownCount = 0;
  for (const name of Object.keys(body)) {
    if (isFieldName(name) && shape.taken.has(name)) {
      if (body[name] === null && !shape.fields.required.includes(name)) continue;
      readFieldValue(name, body[name], values, { findings, unknownFields });
    } else if (++unknownCount <= maxUnknownFields) {
      findings.push({
        code: 'unknown_field',
        pointer: pointerTo(name),
        detail: unknownFields.describe(name, 'this operation', shape.fields),
      });
    }
  }
  for (const name of shape.fields.required) {
    if (!Object.hasOwn(body, name)) {
      findings.push({ code: 'missing_field', pointer: pointerTo(name), detail: `${name} is missing.` });
    }
  }
  return { operation, values, findings, unlistedCount: Math.max(0, unknownCount - maxUnknownFields) };
}

/** What a path takes. */
interface BodyShape<Chosen extends Operation> {
  /** Those that a body can ask for; the first if the body is not an object. */
  operations: readonly [Chosen, ...Chosen[]];
  taken: ReadonlySet<FieldName>;
  /** Required are those that each of the operations needs. */
  fields: TakenFields;
  /** Returns the operation, and adds a finding when fields that exclude each other are both present or both missing. */
  chooseOperation: (fields: Readonly<Record<string, unknown>>, findings: DescribedFinding[]) => Chosen;
}

const shapes: Readonly<Record<TransferPath, BodyShape<TransferOperation>>> = {
  [paths.memoTransfer]: shapeOf(['memo_transfer', 'yid_transfer'], (fields, findings) =>
    chooseMemo(fields, findings) === 'yid' ? 'yid_transfer' : 'memo_transfer',
  ),
  [paths.createTransfer]: shapeOf(['create_transfer'], (fields, findings) => {
    if (hasValue(fields, 'memo') && hasValue(fields, 'yid')) findings.push(bothMemos);
    return 'create_transfer';
  }),
  [paths.transfers]: shapeOf(['transfer'], (fields, findings) => {
    findings.push(...findAmountFaults(fields));
    return 'transfer';
  }),
  [paths.batch]: shapeOf(['batch'], () => 'batch'),
};

const linkShape = shapeOf(['payment_link'], (fields, findings) => {
  findings.push(...findBoundsFaults(fields));
  return 'payment_link';
});

function shapeOf<Chosen extends Operation>(
  operations: BodyShape<Chosen>['operations'],
  chooseOperation: BodyShape<Chosen>['chooseOperation'],
): BodyShape<Chosen> {
  const taken = fieldNames.filter((name) => operations.some((operation) => takesField(operation, name)));
  const required = taken.filter((name) => operations.every((each) => isNeeded(each, name)));
  const optional = taken.filter((name) => !required.includes(name));
  return { operations, taken: new Set(taken), fields: { required, optional }, chooseOperation };
}

function isNeeded(operation: Operation, name: FieldName): boolean {
  return neededFields(operation).includes(name);
}

const bothMemos: DescribedFinding = {
  code: 'memo_and_yid',
  pointer: '/yid',
  detail: 'memo and yid are both present. Send memo, or yid, not both.',
};

function chooseMemo(fields: Readonly<Record<string, unknown>>, findings: DescribedFinding[]): 'memo' | 'yid' {
  const [hasMemo, hasYid] = [hasValue(fields, 'memo'), hasValue(fields, 'yid')];
  if (hasMemo && hasYid) findings.push(bothMemos);
  if (!hasMemo && !hasYid) {
    const detail = 'memo and yid are both missing. Send memo, or yid; one of them chooses the operation.';
    findings.push({ code: 'memo_or_yid_required', pointer: '', detail });
  }
  return hasYid && !hasMemo ? 'yid' : 'memo';
}
