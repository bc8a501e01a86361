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

/** The schema at a path of member names. Throws when there is no object. */
export function schemaAt(document: unknown, ...names: readonly string[]): XSchema {
  const value = valueAt(document, ...names);
  if (typeof value !== 'object' || value === null) throw new Error(`no schema at ${names.join('/')}`);
  return value;
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
