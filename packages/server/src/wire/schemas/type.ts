import type { Type as TypeBox } from 'typebox';

type Keywords = Readonly<Record<string, unknown>>;

/** The functions of TypeBox that schemas here are made with. */
type SchemaBuilder = Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Integer' | 'Null' | 'Number' | 'Object' | 'Optional' | 'Record' | 'String' | 'Union' | 'Unsafe'
>;

const optional = new WeakSet<object>();

const schemaOf =
  (type: string) =>
  (keywords: Keywords = {}): Keywords => ({ type, ...keywords });

const builder = {
  Array: (items: Keywords, keywords: Keywords = {}) => ({ type: 'array', items, ...keywords }),
  Boolean: schemaOf('boolean'),
  Integer: schemaOf('integer'),
  Null: schemaOf('null'),
  Number: schemaOf('number'),
  Object: (properties: Readonly<Record<string, Keywords>>, keywords: Keywords = {}) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords };
  },
  Optional: (schema: Keywords) => {
    const marked = { ...schema };
    optional.add(marked);
    return marked;
  },
  Record: (_key: Keywords, value: Keywords, keywords: Keywords = {}) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...keywords,
  }),
  String: schemaOf('string'),
  Union: (anyOf: readonly Keywords[], keywords: Keywords = {}) => ({ anyOf, ...keywords }),
  Unsafe: (schema: Keywords) => ({ ...schema }),
};

/**
 * Makes the JSON schemas of replies and fields: their types are TypeBox's, and the objects equal TypeBox's.
 *
 * TypeBox itself is not loaded: its 373 modules would take 8 MiB for as long as the service runs.
 */
// biome-ignore lint/style/useNamingConvention: the name is TypeBox's
export const Type = builder as unknown as SchemaBuilder;
