import { problems } from '../errors.ts';
import { type Html, html } from './html.ts';

/** The members of a JSON object; none of anything else. */
export function membersOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** The items of a JSON array; none of anything else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the member of a JSON value at a path of names; `undefined` if there is none. */
export function valueAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => membersOf(inner).find(([member]) => member === name)?.[1], value);
}

/** The text that a JSON value has under these names; empty if it has none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const text = valueAt(value, ...names);
  return typeof text === 'string' ? text : '';
}

/** JSON as people read it: bytes on one line, everything else one member a line. */
export function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/\[\s+([\d,\s]+)\]/g, (_, numbers: string) => {
    return `[${numbers.replaceAll(/\s+/g, ' ').trim()}]`;
  });
}

/** A text of the document: what stands between backticks is code, and the code of a problem leads to its page. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? code(part) : html`${part}`))}`;
}

function code(text: string): Html {
  return Object.hasOwn(problems, text)
    ? html`<a href="/problems/${text}"><code>${text}</code></a>`
    : html`<code>${text}</code>`;
}

const referencePrefix = '#/components/schemas/';
// Longer ones bound an integer digit by digit, which the description says in words.
const maxPatternLength = 48;

/** The name of the schema that a schema refers to; `undefined` if it is not a reference. */
export function referenceOf(schema: unknown): string | undefined {
  const reference = textAt(schema, '$ref');
  return reference.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : undefined;
}

/** The id of the part of the page that describes a schema. */
export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** Returns the members of an object, each with its type, rules and description; `undefined` if the schema has none. */
export function fieldList(schema: unknown): Html | undefined {
  const members = membersOf(valueAt(schema, 'properties'));
  if (members.length === 0) return undefined;
  const required = itemsOf(valueAt(schema, 'required'));
  return html`<dl class="fields">
${members.map(([name, member]) => field(name, member, required.includes(name)))}</dl>`;
}

/** A named value: a member of an object, a parameter or a header. */
export function field(name: string, schema: unknown, isRequired: boolean, description?: string): Html {
  const text = description ?? textAt(schema, 'description');
  const rules = rulesOf(schema);
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${isRequired ? html` <span class="needed">required</span>` : undefined}</dt>
<dd>${text === '' ? undefined : html`<p>${prose(text)}</p>`}${rules.length === 0 ? undefined : html`<p class="rules">${rules.join(', ')}</p>`}${fieldList(itemSchema(schema))}</dd></div>
`;
}

/** Returns the type of a schema in words: a link to a named schema, the values of an enumeration, or the type. */
export function typeOf(schema: unknown): Html {
  const reference = referenceOf(schema);
  if (reference !== undefined) return html`<a href="#${schemaId(reference)}">${reference}</a>`;
  const values = itemsOf(valueAt(schema, 'enum'));
  if (values.length > 0) return joined(values.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  const alternatives = [...itemsOf(valueAt(schema, 'anyOf')), ...itemsOf(valueAt(schema, 'oneOf'))];
  if (alternatives.length > 0) return joined(alternatives.map(typeOf));
  const type = textAt(schema, 'type');
  return type === 'array' ? html`array of ${typeOf(valueAt(schema, 'items'))}` : html`${type || 'any value'}`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;
}

// The members of an object in an array are shown as those of the array.
function itemSchema(schema: unknown): unknown {
  return textAt(schema, 'type') === 'array' ? valueAt(schema, 'items') : schema;
}

function rulesOf(schema: unknown): string[] {
  const pattern = textAt(schema, 'pattern');
  return [
    bounds(schema, 'minItems', 'maxItems', ' items'),
    bounds(schema, 'minLength', 'maxLength', ' characters'),
    bounds(schema, 'minimum', 'maximum', ''),
    valueAt(schema, 'uniqueItems') === true ? 'none twice' : '',
    textAt(schema, 'format'),
    pattern.length <= maxPatternLength ? pattern : '',
  ].filter((rule) => rule !== '');
}

function bounds(schema: unknown, least: string, most: string, unit: string): string {
  const [min, max] = [valueAt(schema, least), valueAt(schema, most)];
  if (typeof max !== 'number') {
    if (typeof min !== 'number') return '';
    return min === 1 && unit !== '' ? 'not empty' : `at least ${min}${unit}`;
  }
  return typeof min === 'number' ? `${min} to ${max}${unit}` : `up to ${max}${unit}`;
}
