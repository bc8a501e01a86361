import type { TransferInputs } from 'splwright-core';
import type { Operation } from '../operation.ts';

/** Whether each operation needs a field or takes it as an option. An operation that is absent does not take the field. */
export type FieldUse = Partial<Record<Operation, 'needed' | 'option'>>;

/** The properties of values that only the server knows. */
type OwnProperty =
  | 'transfers'
  | 'yid'
  | 'encoding'
  | 'simulate'
  | 'summary'
  | 'amountMin'
  | 'amountMax'
  | 'label'
  | 'message'
  | 'icon'
  | 'redirect'
  | 'expiresIn'
  | 'isSingleUse';

interface CommonRow {
  /** What the code calls the value: the core by the name of its input, the rest is the server's own. */
  property: keyof TransferInputs | OwnProperty;
  operations: FieldUse;
  /** What the value means, for the OpenAPI document and, of an option, for `docs/api.md`. */
  description: string;
  /** A value from the sandbox's world. */
  example: unknown;
  /** What `docs/api.md` adds about an option. */
  manual?: {
    /** What holds without it, where the schema has no default. */
    default?: string;
    /** What to say after the description. */
    more?: string;
    /** The bytes that it adds to a transaction without other options. */
    bytes: string;
    /** The round trips that it adds to a build. */
    roundTrips: string;
  };
}

interface TextRow extends CommonRow {
  kind: 'text';
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  default?: string;
}

interface FlagRow extends CommonRow {
  kind: 'flag';
  default: boolean;
}

interface ChoiceRow extends CommonRow {
  kind: 'choice';
  choices: readonly (string | number)[];
  default: string | number;
}

interface IntegerRow extends CommonRow {
  kind: 'integer';
  min: number;
  max: number;
  default: number;
}

interface ListRow extends CommonRow {
  kind: 'list';
  /** Of each text in it. */
  pattern: string;
  maxItems: number;
}

/** A field that objects in a list can have. */
export type MemberName = 'to_address' | 'amount' | 'amount_decimal' | 'memo' | 'references';

interface ObjectsRow extends CommonRow {
  kind: 'objects';
  /** The name of the schema of one object. */
  name: string;
  /** What a sentence calls one of them, with its article. */
  noun: string;
  /** What each object in the list must have: fields of the table, by their names. */
  members: readonly MemberName[];
  /** What each may have. With `amount` and `amount_decimal` among them, each has exactly one of the two. */
  optionalMembers: readonly MemberName[];
  minItems: number;
  maxItems: number;
}

/** A field of a request body. */
export type FieldRow = TextRow | FlagRow | ChoiceRow | IntegerRow | ListRow | ObjectsRow;

/** Returns a regular expression that matches exactly the decimal numbers from 1 to `max` without a leading zero. */
export function decimalPattern(max: bigint): string {
  const digits = max.toString();
  const alternatives = digits.length > 1 ? [`[1-9]${anyDigits(digits.length - 2, true)}`] : [];
  for (const [index, digit] of [...digits].entries()) {
    const lowest = index === 0 ? 1 : 0;
    const highest = Number(digit) - 1;
    if (highest < lowest) continue;
    alternatives.push(`${digits.slice(0, index)}[${lowest}-${highest}]${anyDigits(digits.length - index - 1)}`);
  }
  return [...alternatives, digits].join('|');
}

function anyDigits(count: number, orFewer = false): string {
  return count === 0 ? '' : `[0-9]{${orFewer ? '0,' : ''}${count}}`;
}
