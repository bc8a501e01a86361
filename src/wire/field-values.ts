import type { Finding } from '../errors.ts';
import type { FieldName } from './fields.ts';

const textFields = [
  'from_address',
  'to_address',
  'token_mint_address',
  'amount',
  'memo',
  'yid',
  'fee_payer',
  'priority_fee',
  'nonce_account',
] as const satisfies readonly FieldName[];
const flagFields = ['allow_off_curve_recipient', 'simulate', 'summary'] as const satisfies readonly FieldName[];
const choices = {
  transaction_version: ['legacy', 0, 1],
  encoding: ['array', 'base64', 'base58'],
  checks: ['full', 'none'],
} as const satisfies Partial<Record<FieldName, readonly unknown[]>>;

/** The values of a body by field, each of the type that its field has; a field that is absent or at fault is left out. */
export type FieldValues = { [Name in (typeof textFields)[number]]?: string } & {
  [Name in (typeof flagFields)[number]]?: boolean;
} & { -readonly [Name in keyof typeof choices]?: (typeof choices)[Name][number] } & { references?: readonly string[] };

/** Reads the value of one field into `values`, or adds what is wrong with its type to `findings`. */
export function readFieldValue(name: FieldName, value: unknown, values: FieldValues, findings: Finding[]): void {
  if (isOneOf(textFields, name)) {
    if (typeof value === 'string') values[name] = value;
    else findings.push(wrongType(name, value, 'a JSON string'));
  } else if (isOneOf(flagFields, name)) {
    if (typeof value === 'boolean') values[name] = value;
    else findings.push(wrongType(name, value, 'true or false'));
  } else if (name === 'references') {
    findings.push(...readReferences(value, values));
  } else {
    findings.push(...readChoice(name, value, values));
  }
}

function readChoice(name: keyof typeof choices, value: unknown, values: FieldValues): Finding[] {
  switch (name) {
    case 'transaction_version':
      if (isOneOf(choices[name], value)) values[name] = value;
      break;
    case 'encoding':
      if (isOneOf(choices[name], value)) values[name] = value;
      break;
    case 'checks':
      if (isOneOf(choices[name], value)) values[name] = value;
      break;
  }
  if (values[name] !== undefined) return [];
  const allowed = choices[name].map((choice) => JSON.stringify(choice)).join(', ');
  return [{ code: 'invalid_value', pointer: `/${name}`, detail: `${name} must be one of ${allowed}.` }];
}

function readReferences(value: unknown, values: FieldValues): Finding[] {
  if (!Array.isArray(value)) return [wrongType('references', value, 'an array of addresses')];
  const findings = value.flatMap((entry, index) =>
    typeof entry === 'string' ? [] : [wrongType(`references/${index}`, entry, 'a JSON string')],
  );
  if (findings.length === 0) values.references = value.filter((entry) => typeof entry === 'string');
  return findings;
}

function isOneOf<T>(list: readonly T[], value: unknown): value is T {
  for (const entry of list) if (entry === value) return true;
  return false;
}

function wrongType(name: string, value: unknown, expected: string): Finding {
  const hint =
    name === 'amount'
      ? ' with base units in it, the smallest unit of the token: for a mint with 6 decimals "1500000" is 1.5 tokens'
      : '';
  const detail = `${name} is ${describeType(value)} and must be ${expected}${hint}.`;
  return { code: 'wrong_type', pointer: `/${name}`, detail };
}

/** The JSON type of a value, with its article. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
