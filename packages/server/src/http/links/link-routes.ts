import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deadline } from '../../chain/chain-reader.ts';
import { AppError } from '../../errors.ts';
import { readIdempotencyKey } from '../../idempotency/idempotency-key.ts';
import type { LinkView } from '../../links/link-view.ts';
import { assertEmptyBody } from '../../wire/links/empty-body.ts';
import { linkListText, linkText } from '../../wire/links/link-json.ts';
import { cursorAfter, readListQuery } from '../../wire/links/list-query.ts';
import { acceptEmptyBodies, requireDeclaredJson } from '../json-body.ts';
import { sendKeyed } from '../keyed-reply.ts';
import type { RequestsInFlight } from '../load/in-flight.ts';
import { registerRoutes } from '../register-routes.ts';
import { apiKeyOf } from '../require-api-key.ts';
import { answerLink, type LinkMakerOptions } from './keyed-link.ts';
import { assertKeyAllowsLink, assertKeyAllowsLinks } from './link-permission.ts';
import { linkIdOf, linkNotFound, publicUrlOf, queryOf } from './link-requests.ts';
import { readLinkRequest } from './read-link-request.ts';

/** What the routes of payment links use. */
export interface LinkRouteOptions extends LinkMakerOptions {
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
  /** The origin at which wallets reach the service; `undefined`: there are no links. */
  publicUrl: () => string | undefined;
}

/** Registers the paths of payment links that need an API key. */
export function registerLinkRoutes(app: FastifyInstance, options: LinkRouteOptions): void {
  const { links, inFlight, requestDeadlineMs } = options;
  const urlOf = (): string => publicUrlOf(options.publicUrl);
  const deadlineOf = (): Deadline => performance.now() + requestDeadlineMs;

  async function findOwn(request: FastifyRequest, deadline: Deadline): Promise<LinkView> {
    const id = linkIdOf(request);
    // The link of another key is answered as none.
    const view = id === undefined ? undefined : await links.read(id, deadline, apiKeyOf(request).rootId);
    if (!view) throw linkNotFound();
    return view;
  }

  app.register(async (scope) => {
    requireDeclaredJson(scope);
    registerRoutes(scope, {
      createPaymentLink: async (request, reply) => {
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
        if (request.body === undefined) {
          throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
        }
        const publicUrl = urlOf();
        const asked = readLinkRequest(request.body);
        const apiKey = apiKeyOf(request);
        assertKeyAllowsLink(apiKey.restrictions, asked);
        const creation = { asked, body: request.body, apiKey, publicUrl, deadline: deadlineOf() };
        const answered = await inFlight.countBuild(() => answerLink(creation, idempotencyKey, options));
        return sendKeyed(request, reply.code(201), answered);
      },
    });
  });
  registerRoutes(app, {
    listPaymentLinks: async (request, reply) => {
      const publicUrl = urlOf();
      const { limit, before } = readListQuery(queryOf(request));
      const { restrictions, rootId } = apiKeyOf(request);
      assertKeyAllowsLinks(restrictions);
      // One more than is shown says whether there is another page.
      const page = { limit: limit + 1, ...(before && { before }) };
      const views = await inFlight.countBuild(() => links.list(rootId, page, deadlineOf()));
      const shown = views.slice(0, limit);
      const last = views.length > limit ? shown.at(-1) : undefined;
      const text = linkListText(shown, publicUrl, last && cursorAfter(last.link));
      return reply.type('application/json').send(text);
    },
    readPaymentLink: async (request, reply) => {
      const publicUrl = urlOf();
      assertKeyAllowsLinks(apiKeyOf(request).restrictions);
      const view = await inFlight.countBuild(() => findOwn(request, deadlineOf()));
      return reply.type('application/json').send(linkText('found', view, publicUrl));
    },
  });
  app.register(async (scope) => {
    acceptEmptyBodies(scope);
    registerRoutes(scope, {
      cancelPaymentLink: async (request, reply) => {
        const publicUrl = urlOf();
        assertEmptyBody(request.body);
        // Whatever the key is limited to by now: it can always take back what it has made.
        const deadline = deadlineOf();
        const cancelled = await inFlight.countBuild(async () => {
          const { link } = await findOwn(request, deadline);
          return links.cancel(link.id, deadline);
        });
        if (!cancelled) throw linkNotFound();
        return reply.type('application/json').send(linkText('cancelled', cancelled, publicUrl));
      },
    });
  });
}
