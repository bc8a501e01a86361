import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PayChain } from '../pages/pay-page.ts';
import type { SandboxWorldJson } from '../wire/schemas/public-schema.ts';
import { documentHandler } from './document-handler.ts';

/** What the console is served with. */
export interface ConsoleOptions {
  /** The network; `undefined` while no node says which it is. */
  chain: () => Promise<PayChain | undefined>;
  /** What the sandbox has; absent on a real network. */
  sandboxWorld?: SandboxWorldJson;
  /** Answers a program: for it nothing is at this path. */
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/**
 * Registers the page at `/` for browsers. Programs get a 404, as when pages are off.
 *
 * It is not part of the API: the table of routes and the OpenAPI document leave it out.
 */
export function registerConsoleRoutes(app: FastifyInstance, { chain, sandboxWorld, refuse }: ConsoleOptions): void {
  app.get('/', { config: { cors: false } }, async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersPage(request.headers.accept)) return refuse(request, reply);
    const { formCalled, consolePage, consolePolicy } = await import('../pages/console-page.ts');
    const form: unknown = Object(request.query).form;
    const page = consolePage(formCalled(typeof form === 'string' ? form : undefined), {
      chain: await chain(),
      world: sandboxWorld,
    });
    return reply.headers(pageHeaders(consolePolicy(sandboxWorld))).send(page);
  });
}

/**
 * Registers `/docs`, the API reference for people.
 *
 * It is not part of the API: the table of routes and the OpenAPI document leave it out.
 */
export function registerReferenceRoutes(
  app: FastifyInstance,
  { version, sandboxWorld }: { version: string; sandboxWorld?: object },
): void {
  const handler = documentHandler(async () => {
    const [{ referencePage, referencePolicy }, { openApiDocument }] = await Promise.all([
      import('../pages/reference-page.ts'),
      import('../wire/openapi/document.ts'),
    ]);
    const text = referencePage(openApiDocument(version, sandboxWorld !== undefined));
    return { text, headers: pageHeaders(referencePolicy) };
  });
  app.get('/docs', { config: { cors: false } }, handler);
}

function pageHeaders(policy: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  };
}

/** Whether a client would rather have HTML than JSON, by its `Accept` header: browsers name it, wallets do not. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const html = Math.max(qualityOf(accept, 'text/html'), qualityOf(accept, 'application/xhtml+xml'));
  return html > 0 && html >= qualityOf(accept, 'application/json');
}

/** The quality of a media type that is named; 0 for one that only a wildcard covers. */
function qualityOf(accept: string, mediaType: string): number {
  for (const entry of accept.split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    if (name !== mediaType) continue;
    const quality = parameters.map((parameter) => /^q=([01](?:\.[0-9]{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    return quality === undefined ? 1 : Number(quality);
  }
  return 0;
}
