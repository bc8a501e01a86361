import type { FastifyInstance } from 'fastify';
import { documentHandler } from '../document-handler.ts';

/**
 * Registers `/docs`, the API reference for people.
 *
 * It is no part of the API, and in neither its table of routes nor its description.
 */
export function registerReferenceRoutes(
  app: FastifyInstance,
  { version, sandboxWorld }: { version: string; sandboxWorld?: object },
): void {
  const handler = documentHandler(async () => {
    const [{ referencePage, referencePolicy }, { openApiDocument }] = await Promise.all([
      import('../../pages/reference/reference-page.ts'),
      import('../../wire/openapi/document.ts'),
    ]);
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': referencePolicy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    };
    return { text: referencePage(openApiDocument(version, sandboxWorld !== undefined)), headers };
  });
  app.get('/docs', { config: { cors: false } }, handler);
}
