import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PayChain } from '../../pages/pay-page.ts';
import type { SandboxWorldJson } from '../../wire/sandbox-world.ts';
import { prefersPage } from '../links/prefers-page.ts';

/** What the console is served with. */
export interface ConsoleOptions {
  /** The network; `undefined` while no node says which it is. */
  chain: () => Promise<PayChain | undefined>;
  /** What the sandbox has; absent on a real network. */
  sandboxWorld?: SandboxWorldJson;
  /** Answers a program, to which there is nothing at this path. */
  refuse: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/**
 * Registers the page at `/`, for browsers alone: to a program there is nothing at that path, as where pages are off.
 *
 * It is no part of the API, and in neither its table of routes nor its description.
 */
export function registerConsoleRoutes(app: FastifyInstance, { chain, sandboxWorld, refuse }: ConsoleOptions): void {
  app.get('/', { config: { cors: false } }, async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersPage(request.headers.accept)) return refuse(request, reply);
    const [{ formCalled }, { consolePage, consolePolicy }] = await Promise.all([
      import('../../pages/console/console-forms.ts'),
      import('../../pages/console/console-page.ts'),
    ]);
    const form: unknown = Object(request.query).form;
    const page = consolePage(formCalled(typeof form === 'string' ? form : undefined), {
      chain: await chain(),
      world: sandboxWorld,
    });
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': consolePolicy(sandboxWorld),
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    };
    return reply.headers(headers).send(page);
  });
}
