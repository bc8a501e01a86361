import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { tags } from './route-schema.ts';
import type { SchemaNotes } from './schema-parts.ts';

/** Makes the app describe the routes that are registered after it: `app.swagger()` is the OpenAPI 3.1 document. */
export function describeRoutes(app: FastifyInstance, version: string): void {
  app.register(swagger, {
    openapi: {
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
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, beginning with swk_.' },
        },
      },
    },
    hideUntagged: true,
    transformObject: (described) => {
      if (!('openapiObject' in described)) throw new TypeError('the routes are described in OpenAPI');
      const { openapiObject } = described;
      const { part, schemas } = extractComponents(openapiObject.paths);
      return Object.assign({}, openapiObject, { paths: part, components: { ...openapiObject.components, schemas } });
    },
  });
}

const notes = ['component', 'expected', 'synonyms', 'reportsUnknownFieldsOnce', 'default'] as const;

/**
 * Replaces each schema that is a component by a reference to it, and leaves out what only this service reads of a schema.
 *
 * Throws when two different schemas have the same name.
 */
function extractComponents(paths: unknown): { part: object; schemas: Readonly<Record<string, object>> } {
  const schemas = new Map<string, object>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    return isSchema(node) ? reference(node) : visitMembers(node);
  };
  const visitMembers = (node: object): object =>
    Object.fromEntries(Object.entries(node).map(([name, member]) => [name, visit(member)]));
  const reference = (schema: SchemaNode): object => {
    const visited = visitMembers(withoutNotes(schema));
    if (schema.component === undefined) return visited;
    const known = schemas.get(schema.component);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(visited)) {
      throw new TypeError(`two schemas are named ${schema.component}`);
    }
    schemas.set(schema.component, visited);
    return { $ref: `#/components/schemas/${schema.component}` };
  };
  const part = Object(visit(paths));
  const sorted = [...schemas].sort(([one], [other]) => (one < other ? -1 : 1));
  return { part, schemas: Object.fromEntries(sorted) };
}

interface SchemaNode extends SchemaNotes {
  type?: unknown;
  enum?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  description?: string;
  default?: unknown;
}

// `properties` may have members of these names, which are schemas themselves.
function isSchema(node: SchemaNode): boolean {
  return typeof node.type === 'string' || [node.enum, node.anyOf, node.oneOf].some(Array.isArray);
}

function withoutNotes(schema: SchemaNode): object {
  const { description } = schema;
  const kept = Object.entries(schema).filter(([name]) => !notes.some((note) => note === name));
  const described =
    schema.default === undefined ? {} : { description: `${description} Default: ${JSON.stringify(schema.default)}.` };
  return { ...Object.fromEntries(kept), ...described };
}
