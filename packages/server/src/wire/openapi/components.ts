/** A part of a document without nested named schemas, and those schemas by their names. */
export interface Extracted {
  part: unknown;
  schemas: Readonly<Record<string, unknown>>;
}

/**
 * Replaces each schema that has an `$id` by a reference to the component of that name, in every part of a document.
 *
 * Throws when two different schemas have the same name.
 */
export function extractComponents(document: unknown): Extracted {
  const schemas = new Map<string, unknown>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const { $id: name, ...members } = Object.assign({ $id: undefined }, node);
    const visited = Object.fromEntries(Object.entries(members).map(([key, value]) => [key, visit(value)]));
    if (typeof name !== 'string') return visited;
    const known = schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(visited)) {
      throw new TypeError(`two schemas are named ${name}`);
    }
    schemas.set(name, visited);
    return { $ref: `#/components/schemas/${name}` };
  };
  const part = visit(document);
  const sorted = [...schemas].sort(([one], [other]) => (one < other ? -1 : 1));
  return { part, schemas: Object.fromEntries(sorted) };
}
