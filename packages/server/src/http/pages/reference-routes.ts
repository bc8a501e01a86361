import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** The page and its Content-Security-Policy. */
interface ReferencePage {
  plain: Buffer;
  packed: Buffer;
  policy: string;
}

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
  let page: ReferencePage | undefined;
  const write = async (): Promise<ReferencePage> => {
    const [{ referencePage, referencePolicy }, { openApiDocument }] = await Promise.all([
      import('../../pages/reference/reference-page.ts'),
      import('../../wire/openapi/document.ts'),
    ]);
    const plain = Buffer.from(referencePage(openApiDocument(version, sandboxWorld !== undefined)));
    return { plain, packed: gzipSync(plain), policy: referencePolicy };
  };
  app.get('/docs', { config: { cors: false } }, async (request, reply) => {
    page ??= await write();
    const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers['accept-encoding'] ?? '');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': page.policy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      vary: 'Accept-Encoding',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    });
    return reply.send(isPacked ? page.packed : page.plain);
  });
}
