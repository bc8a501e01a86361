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
  const typeOf = (schema: Schema): string => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice(referencePrefix.length);
      pending.push(name);
      return name;
    }
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return alternatives.map(typeOf).join(' | ');
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
        return `readonly (${typeOf(schema.items ?? {})})[]`;
      case 'object':
        return schema.properties ? `{ ${membersOf(schema).join(' ')} }` : 'object';
      case undefined:
        return 'unknown';
    }
    throw new Error(`a schema has the type ${schema.type}`);
  };
  const membersOf = ({ properties = {}, required = [] }: Schema): string[] =>
    Object.entries(properties).map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${docOf(schema)}${name}${mark}: ${typeOf(schema)};`;
    });
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (declarations.has(name)) continue;
    const schema = schemas[name];
    if (!schema) throw new Error(`the document has no schema ${name}`);
    declarations.set(name, '');
    const doc = docOf(schema) || `\n/** ${name}, as the service writes it. */\n`;
    const declaration = schema.properties
      ? `export interface ${name} {\n${membersOf(schema).join('\n')}\n}`
      : `export type ${name} = ${typeOf(schema)};`;
    declarations.set(name, doc + declaration);
  }
  const sorted = [...declarations].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, declaration]) => declaration).join('\n');
}

function docOf({ description }: Schema): string {
  return description === undefined ? '' : `\n/** ${description.replaceAll('*/', '*\\/')} */\n`;
}
