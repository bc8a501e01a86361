/** The parts of JSON Schema that the components of the OpenAPI document use. */
interface Schema {
  $ref?: string;
  type?: string;
  enum?: readonly (string | number)[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  pattern?: string;
  description?: string;
}

/** Components by name, as the OpenAPI document has them. */
export type Schemas = Readonly<Record<string, Schema>>;

const referencePrefix = '#/components/schemas/';

// The client writes a bigint as text, so that callers can count in bigint.
const largestU64 = '18446744073709551615';

/** Writes the TypeScript declarations of these components, and of all that they refer to. Throws for a schema it does not know. */
export function makeTypes(schemas: Schemas, names: readonly string[]): string {
  const pending = [...names];
  const declarations = new Map<string, string>();
  const typeOf = (schema: Schema, indent: string): string => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice(referencePrefix.length);
      pending.push(name);
      return name;
    }
    if (schema.enum) return oneOf(schema.enum, indent);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return alternatives.map((each) => typeOf(each, indent)).join(' | ');
    switch (schema.type) {
      case 'string':
        return schema.pattern?.includes(largestU64) ? 'string | bigint' : 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
      case 'null':
        return schema.type;
      case 'array':
        return `readonly ${grouped(typeOf(schema.items ?? {}, indent))}[]`;
      case 'object':
        return schema.properties ? `{\n${membersOf(schema, `${indent}  `)}\n${indent}}` : 'object';
      case undefined:
        return 'unknown';
    }
    throw new Error(`a schema has the type ${schema.type}`);
  };
  const membersOf = ({ properties = {}, required = [] }: Schema, indent: string): string => {
    const members = Object.entries(properties).map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${docOf(schema, indent)}${indent}${name}${mark}:${spaced(typeOf(schema, indent))};`;
    });
    return members.join('\n').replace(/^\n/, '');
  };
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (declarations.has(name)) continue;
    const schema = schemas[name];
    if (!schema) throw new Error(`the document has no schema ${name}`);
    declarations.set(name, '');
    const doc = docOf(schema, '') || `\n/** ${name}, as the service writes it. */\n`;
    const declaration = schema.properties
      ? `export interface ${name} {\n${membersOf(schema, '  ')}\n}`
      : `export type ${name} =${spaced(typeOf(schema, ''))};`;
    declarations.set(name, doc + declaration);
  }
  const sorted = [...declarations].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, declaration]) => declaration).join('\n');
}

function docOf({ description }: Schema, indent: string): string {
  if (description === undefined) return '';
  const lines = description.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `\n${indent}/** ${lines[0]} */\n`;
  return `\n${[`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')}\n`;
}

function oneOf(values: readonly (string | number)[], indent: string): string {
  const words = values.map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`));
  // More would not fit on a line.
  return words.length > 8 ? words.map((word) => `\n${indent}  | ${word}`).join('') : words.join(' | ');
}

// A type of several lines begins on the next.
function spaced(type: string): string {
  return type.startsWith('\n') ? type : ` ${type}`;
}

function grouped(type: string): string {
  return / [|] /.test(type) ? `(${type})` : type;
}
