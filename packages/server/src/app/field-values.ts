import type { DescribedFinding } from '../problems.ts';
import type { FieldRow, MemberName } from './field-row.ts';
import { fields } from './field-table.ts';
import { type FieldName, isFieldName, rowOf } from './fields.ts';
import type { UnknownFields } from './unknown-fields.ts';

type Fields = typeof fields;
type ObjectsRow = Extract<FieldRow, { kind: 'objects' }>;
type NameOf<Kind> = { [Name in FieldName]: Fields[Name]['kind'] extends Kind ? Name : never }[FieldName];
type PropertyOf<Kind> = Fields[NameOf<Kind>]['property'];
type Choices = {
  [Name in NameOf<'choice'> as Fields[Name]['property']]: Fields[Name]['choices'][number];
};

/** The values of a body, each by its property and of the type of its field; a field that is absent or at fault is left out. */
export type FieldValues = { [Property in PropertyOf<'text'>]?: string } & {
  [Property in PropertyOf<'flag'>]?: boolean;
} & { [Property in PropertyOf<'integer'>]?: number } & {
  [Property in PropertyOf<'list'>]?: readonly string[];
} & Partial<Choices> & {
    [Property in PropertyOf<'objects'>]?: readonly PaymentValues[];
  };

/** The values of one object of `splits` or `transfers`. */
export interface PaymentValues {
  to?: string;
  amount?: string;
  amountDecimal?: string;
  memo?: string;
  references?: readonly string[];
}

/** Where what is wrong with a request is collected. */
export interface FaultList {
  findings: DescribedFinding[];
  unknownFields: UnknownFields;
}

/** Reads the value of one field into `values`, or adds what is wrong with its type to the findings. */
export function readFieldValue(name: FieldName, value: unknown, values: FieldValues, faults: FaultList): void {
  const { findings } = faults;
  const row = fields[name];
  switch (row.kind) {
    case 'text':
      if (typeof value === 'string') values[row.property] = value;
      else findings.push(wrongType(name, value, 'a JSON string'));
      break;
    case 'flag':
      if (typeof value === 'boolean') values[row.property] = value;
      else findings.push(wrongType(name, value, 'true or false'));
      break;
    case 'integer':
      findings.push(...readInteger(name, row, value, values));
      break;
    case 'list':
      findings.push(...readList(name, row.property, value, values));
      break;
    case 'objects':
      findings.push(...readObjects(name, row, value, values, faults.unknownFields));
      break;
    case 'choice':
      findings.push(...readChoice(name, row.property, row.choices, value, values));
      break;
  }
}

function readInteger(
  name: FieldName,
  { property, min, max }: Extract<Fields[FieldName], { kind: 'integer' }>,
  value: unknown,
  values: FieldValues,
): DescribedFinding[] {
  if (typeof value !== 'number') return [wrongType(name, value, `a whole number from ${min} to ${max}`)];
  if (Number.isInteger(value) && value >= min && value <= max) {
    values[property] = value;
    return [];
  }
  const detail = `${name} must be a whole number from ${min} to ${max}.`;
  return [{ code: 'invalid_value', pointer: `/${name}`, detail }];
}

function readList(
  name: string,
  property: PropertyOf<'list'>,
  value: unknown,
  values: Pick<FieldValues, PropertyOf<'list'>>,
): DescribedFinding[] {
  if (!Array.isArray(value)) return [wrongType(name, value, 'an array of addresses')];
  const findings = value.flatMap((entry, index) =>
    typeof entry === 'string' ? [] : [wrongType(`${name}/${index}`, entry, 'a JSON string')],
  );
  if (findings.length === 0) values[property] = value.filter((entry) => typeof entry === 'string');
  return findings;
}

function readObjects(
  name: FieldName,
  row: Extract<Fields[FieldName], { kind: 'objects' }>,
  value: unknown,
  values: FieldValues,
  unknownFields: UnknownFields,
): DescribedFinding[] {
  if (!Array.isArray(value)) return [wrongType(name, value, 'an array of objects')];
  const findings: DescribedFinding[] = [];
  // A longer list is refused for its length alone: it may have thousands of entries.
  values[row.property] = value
    .slice(0, Math.max(row.maxItems + 1, minObjectsRead))
    .map((entry: unknown, index) => readPayment(name, index, row, entry, { findings, unknownFields }));
  return findings;
}

const minObjectsRead = 100;

// A batch has a thousand of them, nearly all without a fault: pointers are made for the others only.
function readPayment(
  name: FieldName,
  index: number,
  { members, optionalMembers, noun }: ObjectsRow,
  entry: unknown,
  { findings, unknownFields }: FaultList,
): PaymentValues {
  const payment: PaymentValues = {};
  if (!isObject(entry)) {
    findings.push(wrongType(`${name}/${index}`, entry, 'an object'));
    return payment;
  }
  let knownCount = 0;
  for (const member of members) {
    if (Object.hasOwn(entry, member)) {
      knownCount += 1;
      if (!readMember(member, entry[member], payment)) addMemberFaults(name, index, member, entry[member], findings);
    } else {
      const detail = `${name}/${index}/${member} is missing.`;
      findings.push({ code: 'missing_field', pointer: `/${name}/${index}/${member}`, detail });
    }
  }
  for (const member of optionalMembers) {
    if (!Object.hasOwn(entry, member)) continue;
    knownCount += 1;
    if (entry[member] === null || readMember(member, entry[member], payment)) continue;
    addMemberFaults(name, index, member, entry[member], findings);
  }
  const hasOneAmount = hasValue(entry, 'amount') !== hasValue(entry, 'amount_decimal');
  if (optionalMembers.includes('amount') && !hasOneAmount)
    findings.push(...findAmountFaults(entry, `${name}/${index}`));
  if (Object.keys(entry).length > knownCount) {
    const [unknown = '', ...others] = Object.keys(entry).filter((key) => !isMember(key, members, optionalMembers));
    const sentence = unknownFields.describe(unknown, noun, { required: members, optional: optionalMembers });
    const more = others.length === 0 ? '' : ` Nor are ${others.length} more.`;
    findings.push({
      code: 'unknown_field',
      pointer: `/${name}/${index}`,
      detail: `${name}/${index}: ${sentence}${more}`,
    });
  }
  return payment;
}

// Returns whether the value is of the member's type.
function readMember(member: MemberName, value: unknown, payment: PaymentValues): boolean {
  const row = fields[member];
  if (row.kind === 'text') {
    if (typeof value !== 'string') return false;
    payment[row.property] = value;
    return true;
  }
  return readList(member, row.property, value, payment).length === 0;
}

function addMemberFaults(
  name: FieldName,
  index: number,
  member: MemberName,
  value: unknown,
  findings: DescribedFinding[],
): void {
  const row = fields[member];
  const pointer = `${name}/${index}/${member}`;
  if (row.kind === 'text') findings.push(wrongType(pointer, value, 'a JSON string'));
  else findings.push(...readList(pointer, row.property, value, {}));
}

function isMember(name: string, members: readonly string[], optionalMembers: readonly string[]): boolean {
  return members.includes(name) || optionalMembers.includes(name);
}

/** Whether a JSON value is an object, and not an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readChoice<Property extends keyof Choices>(
  name: FieldName,
  property: Property,
  choices: readonly Choices[Property][],
  value: unknown,
  values: Partial<Choices>,
): DescribedFinding[] {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) {
    values[property] = choice;
    return [];
  }
  const allowed = choices.map((each) => JSON.stringify(each)).join(', ');
  return [{ code: 'invalid_value', pointer: `/${name}`, detail: `${name} must be one of ${allowed}.` }];
}

/** Whether an object has a member that is not null: `null` is as good as absent. */
export function hasValue(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== null;
}

function wrongType(name: string, value: unknown, expected: string): DescribedFinding {
  return { code: 'wrong_type', pointer: `/${name}`, detail: `${describeWrongType(name, value, expected)}.` };
}

function describeWrongType(name: string, value: unknown, expected: string): string {
  const field = name.slice(name.lastIndexOf('/') + 1);
  const text = typeof value === 'number' && isFieldName(field) ? textFor(value, rowOf(field)) : undefined;
  if (field === 'amount') {
    return text === undefined
      ? `${name} is ${describeType(value)}; send a string in base units: for a mint with 6 decimals "1500000" is 1.5 tokens`
      : `${name} is the number ${text}; send a string in base units, the smallest unit of the token: "${text}"`;
  }
  if (text !== undefined) return `${name} is the number ${text}; send the string "${text}"`;
  if (value !== null) return `${name} is ${describeType(value)} and must be ${expected}`;
  return `${name} is null; send ${field.endsWith('_address') ? 'an address, as a JSON string' : expected}`;
}

// The text to send in place of a number; `undefined` where the number may have lost digits, or the field has no such texts.
function textFor(value: number, row: FieldRow): string | undefined {
  const text = `${value}`;
  const isExact = Number.isSafeInteger(value) || text.replaceAll(/^[0.]+|\./g, '').length <= 15;
  if (!isExact || row.kind !== 'text' || !/^[0-9]+(\.[0-9]+)?$/.test(text)) return undefined;
  return row.pattern === undefined || new RegExp(row.pattern).test(text) ? text : undefined;
}

/** The JSON type of a value, with its article. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Returns a finding unless an object has exactly one of `amount` and `amount_decimal`.
 *
 * `parent`: the JSON pointer to the object, without its first slash; empty for the body.
 */
export function findAmountFaults(object: Readonly<Record<string, unknown>>, parent = ''): readonly DescribedFinding[] {
  const [hasBaseUnits, hasDecimal] = [hasValue(object, 'amount'), hasValue(object, 'amount_decimal')];
  const at = parent === '' ? '' : `/${parent}`;
  const prefix = parent === '' ? '' : `${parent}: `;
  if (hasBaseUnits && hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both present. Send amount in base units, or amount_decimal, not both.`;
    return [{ code: 'amount_and_amount_decimal', pointer: `${at}/amount_decimal`, detail }];
  }
  if (!hasBaseUnits && !hasDecimal) {
    const detail = `${prefix}amount and amount_decimal are both missing. Send one of them.`;
    return [{ code: 'amount_or_amount_decimal_required', pointer: at, detail }];
  }
  return [];
}

/** Returns a finding unless a link has either `amount` or `amount_decimal`, or both `amount_min` and `amount_max`. */
export function findBoundsFaults(object: Readonly<Record<string, unknown>>): readonly DescribedFinding[] {
  const has = (name: FieldName): boolean => hasValue(object, name);
  const fixed = (['amount', 'amount_decimal'] as const).filter(has);
  const bounds = (['amount_min', 'amount_max'] as const).filter(has);
  const [name] = fixed;
  const [bound] = bounds;
  if (fixed.length === 2) return findAmountFaults(object);
  if (name !== undefined && bound !== undefined) {
    const detail = `${name} and ${bound} are both present. Send ${name}, or amount_min and amount_max, not both.`;
    return [{ code: 'amount_and_amount_bounds', pointer: `/${bound}`, detail }];
  }
  if (name !== undefined || bounds.length === 2) return [];
  const missing = bound === 'amount_min' ? 'amount_max is missing.' : 'amount_min is missing.';
  const detail = bound === undefined ? 'There is no amount.' : missing;
  const remedy = 'Send amount or amount_decimal, or amount_min and amount_max.';
  return [{ code: 'amount_or_amount_bounds_required', pointer: '', detail: `${detail} ${remedy}` }];
}
