import fastify, { type FastifyInstance } from 'fastify';
import { documentHandler } from '../app/document-handler.ts';
import { pageHeaders, prefersPage } from '../app/pages/page-replies.ts';
import type { SandboxWorldJson } from '../app/public-schema.ts';
import { sandboxWorldPath } from '../app/schema-parts.ts';
import type { PayChain } from '../links/pay-chain.ts';
import { paths } from '../transfers/transfer-schema.ts';

export interface HomeOptions {
  version: string;
  /** The network, for the console; `undefined` while no node says which it is. Absent where pages are off. */
  chain: (() => Promise<PayChain | undefined>) | undefined;
  /** Absent on a real network. */
  sandboxWorld?: SandboxWorldJson;
}

/**
 * Registers `/`: the console for browsers, and for programs, or where pages are off, three lines that say where to go.
 *
 * It is not part of the API: the OpenAPI document leaves it out.
 */
export function registerHomeRoute(app: FastifyInstance, { version, chain, sandboxWorld }: HomeOptions): void {
  const directions = homeText(version, { hasPages: chain !== undefined, isOnSandbox: sandboxWorld !== undefined });
  app.get('/', { config: { cors: false } }, async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!chain || !prefersPage(request.headers.accept)) return reply.type('text/plain; charset=utf-8').send(directions);
    const { formCalled, consolePage, consolePolicy } = await import('./console-page.ts');
    const form: unknown = Object(request.query).form;
    const page = consolePage(formCalled(typeof form === 'string' ? form : undefined), {
      chain: await chain(),
      world: sandboxWorld,
    });
    return reply.headers(pageHeaders(consolePolicy(sandboxWorld))).send(page);
  });
}

function homeText(version: string, { hasPages, isOnSandbox }: { hasPages: boolean; isOnSandbox: boolean }): string {
  const sandbox = isOnSandbox ? ` The wallets and mints of its sandbox: ${sandboxWorldPath}.` : '';
  const pages = hasPages ? ' For people, in a browser: the console at /, the reference at /docs.' : '';
  return `splwright ${version} builds unsigned SPL token transfers on Solana.${sandbox}
Build one: POST ${paths.transfers} with Authorization: Bearer <API key>.
Every operation: /openapi.json.${pages}
`;
}

/**
 * Registers `/docs`, the API reference for people. Its script is loaded when the page is opened first.
 *
 * It is not part of the API: the OpenAPI document leaves it out.
 */
export function registerReferenceRoutes(
  app: FastifyInstance,
  { sandboxWorld }: { sandboxWorld?: SandboxWorldJson },
): void {
  let loading: Promise<string> | undefined;
  const loadScript = () => (loading ??= referenceScript());
  const page = documentHandler(async () => {
    const { referencePage, referencePolicy } = await import('./reference-page.ts');
    return { text: referencePage(sandboxWorld?.api_key), headers: pageHeaders(referencePolicy) };
  });
  const script = documentHandler(async () => ({
    text: await loadScript(),
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  }));
  app.get('/docs', { config: { cors: false } }, page);
  app.get('/docs/reference.js', { config: { cors: false } }, script);
}

/**
 * The script of Scalar's API reference, some 5 MB.
 *
 * The package has it inside a plugin, which is asked for it by the route that it registers.
 */
async function referenceScript(): Promise<string> {
  const plugin = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(plugin.default, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { body } = await app.inject('/docs/js/scalar.js');
  await app.close();
  return body;
}
