import { type FastifyInstance, fastify } from 'fastify';
import type { Brand } from '../../src/config/brand.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import {
  type PayPageOptions,
  registerPayAssets,
  registerPayState,
  sendPayPage,
  showProblemsAsPages,
} from '../../src/links/page/pay-page-routes.ts';
import type { PayChain } from '../../src/links/pay-chain.ts';
import type { RecentRefusal } from '../../src/links/recent-refusals.ts';
import { AppError, isAppError, problems } from '../../src/problems.ts';

/** What the test decides of an app that has pages of payment links and no chain. */
export interface FakePay {
  views: Map<string, LinkView>;
  /** Answers a payer: the JSON body, its status, and headers if there are any. */
  pay: (
    id: string,
    body: unknown,
    amount: string | undefined,
  ) => { status: number; body: unknown; headers?: Record<string, string> };
  /** The requests so far: method and URL. */
  requests: string[];
  /** Why wallets were refused, by link. */
  refusals: Map<string, RecentRefusal>;
  /** A status that is answered in place of everything, such as 429. */
  failWith?: number | undefined;
}

/** A service whose operator has named no shop. */
export const noBrand: Brand = { name: undefined, logo: undefined, color: undefined };

/** Builds an app with the pages and routes of payment links on views that the test holds. */
export function fakePayApp(
  fake: FakePay,
  publicUrl: () => string,
  {
    iconOrigins = [],
    brand = noBrand,
    chain = 'solana:localnet',
  }: { iconOrigins?: readonly string[]; brand?: Brand | undefined; chain?: PayChain | undefined } = {},
): FastifyInstance {
  // A browser opens connections that it may never use: Node's close would wait for them for ever.
  const app = fastify({ forceCloseConnections: true });
  const options: PayPageOptions = {
    read: async (request) => {
      const view = fake.views.get(String(Object(request.params).id));
      if (!view) throw new AppError('payment_link_not_found', 'There is none.');
      return view;
    },
    publicUrl,
    chain: async () => chain,
    iconOrigins,
    brand,
    findRefusal: (id) => fake.refusals.get(id),
  };
  showProblemsAsPages(app);
  app.addHook('onRequest', (request, reply, done) => {
    fake.requests.push(`${request.method} ${request.url}`);
    reply.header('cache-control', 'no-store');
    const isStatic = request.url.startsWith('/pay-assets/');
    if (fake.failWith === undefined || isStatic) done();
    else reply.code(fake.failWith).header('retry-after', '7').send({ code: 'rate_limited' });
  });
  app.setErrorHandler((error, _request, reply) =>
    isAppError(error)
      ? reply.code(problems[error.code].status).send({ code: error.code })
      : reply.code(500).send(String(error)),
  );
  registerPayAssets(app, brand);
  registerPayState(app, options);
  app.get('/pay/:id', async (request, reply) => sendPayPage(request, reply, await options.read(request), options));
  app.post('/pay/:id', (request, reply) => {
    const { id } = Object(request.params);
    const { status, body, headers = {} } = fake.pay(String(id), request.body, Object(request.query).amount);
    return reply.code(status).headers(headers).send(body);
  });
  return app;
}
