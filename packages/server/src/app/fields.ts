import { type TSchema, Type } from 'typebox';
import { type Operation, operations } from '../operation.ts';
import type { FieldRow } from './field-row.ts';
import { fields } from './field-table.ts';
import { enumeration } from './openapi/schema-parts.ts';

type Fields = typeof fields;

/** The name of a request field. */
export type FieldName = keyof Fields;

/** The name of a field that no operation needs. */
export type OptionName = { [Name in FieldName]: 'needed' extends UseOf<Name> ? never : Name }[FieldName];
type UseOf<Name extends FieldName> = Fields[Name]['operations'][keyof Fields[Name]['operations']];

/** The names of all fields, in the order of the table. */
export const fieldNames: readonly FieldName[] = Object.keys(fields).filter(isFieldName);

/** Narrows a text to the name of a field. */
export function isFieldName(text: string): text is FieldName {
  return Object.hasOwn(fields, text);
}

/** The row of a field, without the literal types that only its values' types need. */
export function rowOf(name: FieldName): FieldRow {
  return fields[name];
}

/** The fields that an operation needs, in the order of the table. */
export function neededFields(operation: Operation): readonly FieldName[] {
  return fieldNames.filter((name) => rowOf(name).operations[operation] === 'needed');
}

/** The fields that an operation takes and does not need, in the order of the table. */
export function optionalFields(operation: Operation): readonly FieldName[] {
  return fieldNames.filter((name) => rowOf(name).operations[operation] === 'option');
}

/** The fields that no operation needs. */
export const optionNames: readonly OptionName[] = fieldNames.filter(isOptionName);

function isOptionName(name: FieldName): name is OptionName {
  return operations.every((operation) => rowOf(name).operations[operation] !== 'needed');
}

/** Whether an operation takes a field. */
export function takesField(operation: Operation, name: FieldName): boolean {
  return rowOf(name).operations[operation] !== undefined;
}

/**
 * Returns the JSON schema of a field.
 *
 * The default is in the description: some generators turn an option with a `default` into a required field.
 */
export function fieldSchema(name: FieldName): TSchema {
  const row = rowOf(name);
  const description =
    'default' in row ? `${row.description} Default: ${JSON.stringify(row.default)}.` : row.description;
  const examples = [row.example];
  switch (row.kind) {
    case 'text': {
      const { pattern, minLength, maxLength } = row;
      return Type.String({
        description,
        ...(pattern !== undefined && { pattern }),
        ...(minLength !== undefined && { minLength }),
        ...(maxLength !== undefined && { maxLength }),
        examples,
      });
    }
    case 'flag':
      return Type.Boolean({ description, examples });
    case 'integer':
      return Type.Integer({ description, minimum: row.min, maximum: row.max, examples });
    case 'choice':
      return enumeration(row.choices, { description, examples });
    case 'objects': {
      const { minItems, maxItems, members, optionalMembers, name: id } = row;
      const properties = Object.fromEntries([
        ...members.map((member) => [member, fieldSchema(member)]),
        ...optionalMembers.map((member) => [member, Type.Optional(fieldSchema(member))]),
      ]);
      const item = Type.Object(properties, { $id: id, additionalProperties: false });
      return Type.Array(item, { description, ...(minItems > 0 && { minItems }), maxItems, examples });
    }
    case 'list': {
      const { maxItems } = row;
      const item = Type.String({ pattern: row.pattern });
      return Type.Array(item, { description, maxItems, uniqueItems: true, examples });
    }
  }
}

/** The body that shows an operation: the example of each field that it needs, and the amount in base units. */
export function exampleBody(operation: Operation): Readonly<Record<string, unknown>> {
  const names = fieldNames.filter(
    (name) => (name === 'amount' && takesField(operation, name)) || neededFields(operation).includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, fields[name].example]));
}
