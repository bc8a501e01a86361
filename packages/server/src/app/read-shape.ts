import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { DescribedFinding } from '../problems.ts';
import { findSimilarName, lettersOf } from '../similar-name.ts';
import { addressPattern, type SchemaNotes } from './schema-parts.ts';
import { pointerTo, quoteName } from './visible-text.ts';

/** A value of which any part may be missing: it was not sent, or is of a wrong type. */
export type Incomplete<Value> = Value extends readonly (infer Item)[]
  ? readonly (Incomplete<Item> | undefined)[]
  : Value extends object
    ? { [Name in keyof Value]?: Incomplete<Value[Name]> | undefined }
    : Value;

/** The parts of a value that are of the right types, and its faults. */
export interface Shape<Value> {
  /** A member that was sent with a wrong type is there, and `undefined`. Without members that are null and not required. */
  values: Incomplete<Value>;
  /** Missing and unknown fields, wrong types and values that are none of those to choose from. */
  findings: readonly DescribedFinding[];
  /** Values of the right type that break another rule of the schema. Who reads them may have a better word for it. */
  constraints: readonly DescribedFinding[];
}

/** The keywords of a schema that are read here. */
interface SchemaNode extends SchemaNotes {
  type?: string;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, SchemaNode>>;
  additionalProperties?: unknown;
  required?: readonly string[];
  items?: SchemaNode;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

/** Which part of a request a schema is of. */
export type RequestPart = 'body' | 'query';

/**
 * Compiles a schema into a reader of what was sent, which never throws.
 *
 * TypeBox decides what is right. Only where it refuses the whole, each part is looked at: every fault is found at once, and each part is
 * checked once. (Its own `Errors` of a whole body take a second for 400,000 bytes of transactions.)
 */
export function compileShape<Schema extends TSchema>(
  schema: Schema,
  part: RequestPart = 'body',
): (given: unknown) => Shape<Static<Schema>> {
  const validator = Compile(schema);
  const validators = new Map<SchemaNode, Validator>();
  const validatorOf = (part: SchemaNode): Validator => {
    // The objects in a list are checked one by one.
    const known = validators.get(part) ?? Compile(part.items?.type === 'object' ? { ...part, items: {} } : part);
    validators.set(part, known);
    return known;
  };
  return (given) => {
    const sent = part === 'query' ? withNumbers(schema, given) : given;
    // What the schema accepts is of its type.
    if (validator.Check(sent)) return { values: sent as Incomplete<Static<Schema>>, findings: [], constraints: [] };
    const reader = new ShapeFaults(part, validatorOf);
    // What is left has been checked part by part.
    const values = (reader.read(schema, sent, '') ?? {}) as Incomplete<Static<Schema>>;
    return { values, findings: [...reader.findings, ...reader.missing], constraints: reader.constraints };
  };
}

// A query has texts alone: those that are whole numbers, where the schema has numbers, are read as such.
function withNumbers({ properties = {} }: SchemaNode, query: unknown): unknown {
  const read = ([name, text]: [string, unknown]): [string, unknown] => {
    const isNumber = properties[name]?.type === 'integer' && typeof text === 'string' && /^(0|[1-9][0-9]*)$/.test(text);
    return [name, isNumber ? Number(text) : text];
  };
  return Object.fromEntries(Object.entries(Object(query)).map(read));
}

// One more than a refusal lists, of unknown fields and of other faults: a body may have thousands, each with a sentence of its own.
const maxDescribed = 101;
// A longer list is refused for its length alone: it may have thousands of entries.
const minItemsRead = 100;

// The values of an object without names of its own, such as metadata.
const textNode: SchemaNode = { type: 'string' };

class ShapeFaults {
  readonly findings: DescribedFinding[] = [];
  readonly missing: DescribedFinding[] = [];
  readonly constraints: DescribedFinding[] = [];
  readonly #part: RequestPart;
  readonly #validatorOf: (part: SchemaNode) => Validator;
  /** The lists of fields that were told: each is told once. */
  readonly #told = new Set<string>();
  #unknownCount = 0;
  #faultyCount = 0;

  constructor(part: RequestPart, validatorOf: (part: SchemaNode) => Validator) {
    this.#part = part;
    this.#validatorOf = validatorOf;
  }

  /** Returns the parts of a value that are of the right types. `at` is the JSON pointer to it. */
  read(node: SchemaNode, value: unknown, at: string): unknown {
    if (node.type === 'object' && node.properties) return this.#readObject(node, value, at);
    if (node.type === 'array' && Array.isArray(value)) return this.#readArray(node, value, at);
    return this.#readLeaf(node, value, at);
  }

  #readObject(node: SchemaNode, value: unknown, at: string): unknown {
    if (!isObject(value)) {
      this.#addWrongType(node, value, at);
      return undefined;
    }
    const { properties = {}, required = [] } = node;
    const values: Record<string, unknown> = {};
    const unknown: string[] = [];
    for (const name of Object.keys(value)) {
      const member = value[name];
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) unknown.push(name);
      // An option that is null is absent.
      else if (member !== null || required.includes(name))
        values[name] = this.read(schema, member, pointerTo(name, at));
    }
    if (node.additionalProperties === false && unknown.length > 0) this.#addUnknown(node, unknown, at);
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      const pointer = pointerTo(name, at);
      this.missing.push({ code: 'missing_field', pointer, detail: `${nameOf(pointer)} is missing.` });
    }
    return values;
  }

  #readArray(node: SchemaNode, value: readonly unknown[], at: string): unknown {
    const { items = {}, maxItems = value.length } = node;
    const entries = value.slice(0, Math.max(maxItems + 1, minItemsRead));
    const list = this.#readLeaf(node, entries, at);
    // Of a list of plain values with a wrong one, nothing is left.
    if (items.type !== 'object') return list;
    return entries.map((entry, index) => this.read(items, entry, `${at}/${index}`));
  }

  #readLeaf(node: SchemaNode, value: unknown, at: string): unknown {
    if (this.#validatorOf(node).Check(value)) return value;
    return this.#addConstraints(node, value, at) ? value : undefined;
  }

  // Returns whether the value is of the right type. One fault for each place: the first rule that it breaks.
  #addConstraints(node: SchemaNode, value: unknown, at: string): boolean {
    this.#faultyCount += 1;
    if (this.#faultyCount > maxDescribed) return false;
    if (node.enum) {
      this.findings.push({ code: 'invalid_value', pointer: at, detail: `${nameOf(at)} must be ${expectedOf(node)}.` });
      return false;
    }
    // A choice of types, such as a transaction: who reads it says which of them is meant.
    if (node.type === undefined) {
      const detail = `${nameOf(at)} is ${describeType(value)} and must be ${expectedOf(node)}.`;
      this.constraints.push({ code: 'wrong_type', pointer: at, detail });
      return true;
    }
    const faults = Map.groupBy(
      this.#validatorOf(node).Errors(value).filter(isOfOnePlace),
      ({ instancePath }) => instancePath,
    );
    let isOfType = true;
    for (const [path, [fault]] of faults) {
      if (fault === undefined) continue;
      const pointer = at + path;
      const found = path === '' ? value : Object(value)[path.slice(1)];
      const broken = path === '' ? node : (node.items ?? textNode);
      if (fault.keyword === 'type') {
        this.#addWrongType(broken, found, pointer);
        isOfType = false;
      } else {
        const detail = `${nameOf(pointer)} ${describeConstraint(broken, fault, found)}.`;
        this.constraints.push({ code: 'invalid_value', pointer, detail });
      }
    }
    return isOfType;
  }

  #addWrongType(node: SchemaNode, value: unknown, at: string): void {
    if (at === '') {
      const detail = `The body is ${describeType(value)} and must be a JSON object.`;
      this.findings.push({ code: 'wrong_type', pointer: at, detail });
      return;
    }
    const name = nameOf(at);
    // All that a query has are texts, and a number that is no whole one is still a number.
    if (this.#part === 'query' || (node.type === 'integer' && typeof value === 'number')) {
      const what = Array.isArray(value) ? 'is there more than once' : `must be ${expectedOf(node)}`;
      this.findings.push({ code: 'invalid_value', pointer: at, detail: `${name} ${what}.` });
      return;
    }
    this.findings.push({ code: 'wrong_type', pointer: at, detail: `${describeWrongType(node, name, value)}.` });
  }

  #addUnknown(node: SchemaNode, names: readonly string[], at: string): void {
    if (node.reportsUnknownFieldsOnce) {
      const [first = '', ...others] = names;
      const more = others.length === 0 ? '' : ` Nor are ${others.length} more.`;
      const detail = `${nameOf(at)}: ${this.#describeUnknown(node, first, at)}${more}`;
      this.findings.push({ code: 'unknown_field', pointer: at, detail });
      return;
    }
    for (const name of names) {
      this.#unknownCount += 1;
      if (this.#unknownCount > maxDescribed) return;
      const detail = this.#describeUnknown(node, name, at);
      this.findings.push({ code: 'unknown_field', pointer: pointerTo(name, at), detail });
    }
  }

  // The sentence about an unknown field, with the field that was meant or all that there are.
  #describeUnknown({ properties = {}, required = [] }: SchemaNode, name: string, at: string): string {
    const [kind, place] =
      this.#part === 'query' ? ['parameter', 'this operation'] : ['field', nameOf(at) || 'this operation'];
    const sentence = `${quoteName(name)} is not a ${kind} of ${place}`;
    const known = Object.keys(properties);
    if (known.length === 0) return `${sentence}, which has none.`;
    const letters = lettersOf(name);
    const meant = findSimilarName(name, known) ?? known.find((each) => properties[each]?.synonyms?.includes(letters));
    if (meant !== undefined) return `${sentence}. Did you mean ${meant}?`;
    const optional = known.filter((each) => !required.includes(each));
    const list = describeFields(kind, required, optional);
    if (this.#told.has(list)) return `${sentence}.`;
    this.#told.add(list);
    return `${sentence}. ${list}`;
  }
}

// Of texts by names, a wrong text is a fault of the whole as well, and a wrong name one of the text: each is told once.
function isOfOnePlace({ keyword, schemaPath }: { keyword: string; schemaPath: string }): boolean {
  return keyword !== 'additionalProperties' && !schemaPath.endsWith('/propertyNames');
}

function describeFields(kind: string, required: readonly string[], optional: readonly string[]): string {
  if (required.length === 0 || optional.length === 0)
    return `The ${kind}s are ${[...required, ...optional].join(', ')}.`;
  const isOne = required.length === 1;
  return `The required ${kind}${isOne ? ' is' : 's are'} ${required.join(', ')}; the others are ${optional.join(', ')}.`;
}

function describeConstraint(
  node: SchemaNode,
  { keyword, params }: { keyword: string; params: object },
  value: unknown,
): string {
  const limit: unknown = 'limit' in params ? params.limit : undefined;
  switch (keyword) {
    case 'minLength':
      return value === '' ? 'is empty and must have at least one character' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `has ${[...String(value)].length} characters and may have ${limit}`;
    case 'minItems':
    case 'maxItems':
      return `has ${Array.isArray(value) ? value.length : 0} entries and must have ${keyword === 'minItems' ? 'at least' : 'at most'} ${limit}`;
    case 'uniqueItems':
      return 'has an entry more than once';
    default:
      return `must be ${expectedOf(node)}`;
  }
}

// Not an array, and not null.
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON type of a value, with its article. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

// `splits/0/amount` of `/splits/0/amount`.
function nameOf(pointer: string): string {
  return pointer.slice(1);
}

function describeWrongType(node: SchemaNode, name: string, value: unknown): string {
  const expected = expectedOf(node);
  const text = typeof value === 'number' && node.type === 'string' ? textFor(value, node.pattern) : undefined;
  if (text !== undefined) return `${name} is the number ${text}; send ${expected}: "${text}"`;
  return value === null
    ? `${name} is null; send ${expected}`
    : `${name} is ${describeType(value)} and must be ${expected}`;
}

// The text to send in place of a number; `undefined` where the number may have lost digits, or the field has no such texts.
function textFor(value: number, pattern: string | undefined): string | undefined {
  const text = `${value}`;
  const isExact = Number.isSafeInteger(value) || text.replaceAll(/^[0.]+|\./g, '').length <= 15;
  if (!isExact || !/^[0-9]+(\.[0-9]+)?$/.test(text)) return undefined;
  return pattern === undefined || new RegExp(pattern).test(text) ? text : undefined;
}

function expectedOf({ expected, type, enum: choices, items, minimum, maximum, pattern }: SchemaNode): string {
  if (expected !== undefined) return expected;
  if (choices) return `one of ${choices.map((each) => JSON.stringify(each)).join(', ')}`;
  switch (type) {
    case 'string':
      return pattern === addressPattern ? 'an address, as a JSON string' : 'a JSON string';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${minimum} to ${maximum}`;
    case 'array':
      return items?.type === 'object' ? 'an array of objects' : 'an array of JSON strings';
    default:
      return 'an object';
  }
}
