import type { XSchema } from 'typebox/schema';

/** One operation of an OpenAPI document. */
export interface DocumentedOperation {
  path: string;
  /** In lower case, as in the document. */
  method: string;
  operation: unknown;
}

/** The value at a path of member names in a parsed JSON document; `undefined` where there is none. */
export function valueAt(document: unknown, ...names: readonly string[]): unknown {
  let value = document;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}

/** The schema at a path of member names, with each reference replaced by what it leads to. Throws when there is none. */
export function schemaAt(document: unknown, ...names: readonly string[]): XSchema {
  return resolved(document, valueAt(document, ...names));
}

/** A schema of a document, with each reference replaced by what it leads to. Throws when it is none. */
export function resolved(document: unknown, schema: unknown): XSchema {
  const value = resolve(document, schema);
  if (typeof value !== 'object' || value === null) throw new Error(`no schema: ${JSON.stringify(schema)}`);
  return value;
}

function resolve(document: unknown, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => resolve(document, each));
  if (typeof node !== 'object' || node === null) return node;
  const reference = valueAt(node, '$ref');
  if (typeof reference === 'string') return resolve(document, valueAt(document, ...reference.slice(2).split('/')));
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(document, value)]));
}

/**
 * A body as a schema describes it: without the members that are null and not required, which the service takes for absent. Schemas say what
 * to send: with null among it, generated clients would have two ways to leave a field out.
 */
export function withoutNulls(body: unknown, schema: unknown): unknown {
  if (Array.isArray(body)) return body.map((each) => withoutNulls(each, valueAt(schema, 'items')));
  if (typeof body !== 'object' || body === null) return body;
  const required = Object.values(valueAt(schema, 'required') ?? {});
  const isKept = ([name, value]: [string, unknown]): boolean =>
    value !== null || required.includes(name) || valueAt(schema, 'properties', name) === undefined;
  const kept = Object.entries(body).filter(isKept);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, withoutNulls(value, valueAt(schema, 'properties', name))]),
  );
}

/** Every operation of an OpenAPI document. */
export function operations(document: unknown): readonly DocumentedOperation[] {
  return Object.entries(valueAt(document, 'paths') ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** The path of an operation with the example of each parameter in it. */
export function examplePath(path: string, operation: unknown): string {
  const parameters = Object.values(valueAt(operation, 'parameters') ?? {});
  return parameters.reduce<string>(
    (filled, parameter) => filled.replace(`{${valueAt(parameter, 'name')}}`, String(valueAt(parameter, 'example'))),
    path,
  );
}

/** Visits every object and array in a parsed JSON document, itself included. */
export function walk(node: unknown, visit: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}
