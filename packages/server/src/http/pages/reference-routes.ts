import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { referencePage, referencePolicy } from '../../pages/reference/reference-page.ts';
import { openApiDocument } from '../../wire/openapi/document.ts';

/**
 * Registers `/docs`, the API reference for people.
 *
 * It is no part of the API, and in neither its table of routes nor its description.
 */
export function registerReferenceRoutes(
  app: FastifyInstance,
  { version, sandboxWorld }: { version: string; sandboxWorld?: object },
): void {
  // Written at the first request, since most services are never asked for it.
  let page: { plain: Buffer; packed: Buffer } | undefined;
  const write = (): { plain: Buffer; packed: Buffer } => {
    const plain = Buffer.from(referencePage(openApiDocument(version, sandboxWorld !== undefined)));
    return { plain, packed: gzipSync(plain) };
  };
  app.get('/docs', { config: { cors: false } }, (request, reply) => {
    page ??= write();
    const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers['accept-encoding'] ?? '');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': referencePolicy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      vary: 'Accept-Encoding',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    });
    return reply.send(isPacked ? page.packed : page.plain);
  });
}
