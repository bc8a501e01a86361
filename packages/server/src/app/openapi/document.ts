import { outcomePost } from '../../outcomes/outcome-operation.ts';
import { publicOperation, resourceOperation, transferPost } from './operations.ts';
import { isResourceRoute, isServed, isTransferRoute, type Route, tags } from './route.ts';
import { routes } from './route-table.ts';

/**
 * The OpenAPI 3.1 document of the service, made from the same tables of routes, fields, replies and problems that it runs on.
 *
 * A service on a real network has no routes of the sandbox, and does not describe them.
 */
export function openApiDocument(version: string, hasSandbox: boolean): object {
  const described = Object.entries<Route>(routes).filter(([, route]) => isServed(route, hasSandbox));
  const paths: Record<string, object> = {};
  for (const [name, route] of described) paths[route.path] = { ...paths[route.path], ...pathItem(name, route) };
  const { part, schemas } = extractComponents(paths);
  const usedTags = new Set(described.map(([, { tag }]) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'splwright',
      version,
      summary: 'Builds unsigned SPL token transfers on Solana.',
      description:
        'Name the sender, the recipient, the token and the amount. The reply is a transaction that lands once it is signed ' +
        'and submitted, or the exact reason why it would not. The service holds no key, signs nothing and submits nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags)
      .filter(([name]) => [...usedTags].some((used) => used === name))
      .map(([name, description]) => ({ name, description })),
    paths: part,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, beginning with swk_.' } },
      schemas,
    },
  };
}

function pathItem(operationId: string, route: Route): object {
  if (isTransferRoute(route)) return { post: transferPost(operationId, route) };
  if (isResourceRoute(route)) return { [methodOf(route)]: resourceOperation(operationId, route) };
  return route.needsKey
    ? { post: outcomePost(operationId, route) }
    : { [methodOf(route)]: publicOperation(operationId, route) };
}

function methodOf({ method }: Route): string {
  return method.toLowerCase();
}

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
function extractComponents(document: unknown): Extracted {
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
