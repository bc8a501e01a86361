import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Finding } from 'splwright-core';
import { acceptEmptyBodies, assertEmptyBody, bodyOf, requireDeclaredJson } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import { shownOf } from '../app/list-cursor.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import { queryShapeOf, refusalOf, shapeOf } from '../app/validate.ts';
import { Work } from '../app/work.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import { hashBody, readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { KeyedReply, KeyedRequests } from '../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllowsDecimalLink, assertKeyAllowsLink, assertKeyAllowsLinks } from '../keys/key-permission.ts';
import { countItems } from '../keys/rate-limit.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { dailyLimitsOf } from '../keys/usage/daily-amounts.ts';
import { isAppError } from '../problems.ts';
import { sendKeyed } from '../transfers/transaction-replies.ts';
import { isTransferRefused } from '../transfers/transfer-refused.ts';
import { linkListText, linkText } from './link-json.ts';
import { describeLinkFinding } from './link-problems.ts';
import { LinkRefunds, type LinkRefundsOptions } from './link-refunds.ts';
import { linkIdOf, linkNotFound, readLinkRequest, readListQuery } from './link-requests.ts';
import {
  cancelLinkRoute,
  createLinkRoute,
  linkPath,
  linksPath,
  listLinksRoute,
  readLinkRoute,
} from './link-route-schemas.ts';
import type { LinkView } from './link-view.ts';
import { LinkRefused, type NewPaymentLink, tokensAsked } from './make-link.ts';
import type { PaymentLinks } from './payment-links.ts';
import type { PaymentLink } from './records/payment-link.ts';
import { registerRefundRoute } from './refund-route.ts';

export interface LinkRouteOptions extends LinkMakerOptions, Omit<LinkRefundsOptions, 'store' | 'now' | 'sandboxWorld'> {
  refundStore: LinkRefundsOptions['store'];
  inFlight: RequestsInFlight;
  limiter: RateLimiter;
  requestDeadlineMs: number;
  /** Returns the origin at which wallets reach the service. Throws when there is none. */
  publicUrl: () => string;
}

/** Registers the paths of payment links that need an API key. */
export function registerLinkRoutes(app: FastifyInstance, options: LinkRouteOptions): void {
  const { links, inFlight, limiter, requestDeadlineMs } = options;
  const refunds = new LinkRefunds({ ...options, store: options.refundStore, now: () => Date.now() });
  const deadlineOf = (): Deadline => performance.now() + requestDeadlineMs;

  async function findOwn(request: FastifyRequest, deadline: Deadline): Promise<LinkView> {
    // The link of another key is answered as none.
    const view = await links.read(linkIdOf(request), deadline, apiKeyOf(request).rootId);
    if (!view) throw linkNotFound();
    return view;
  }

  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(linksPath, createLinkRoute, async (request, reply) => {
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      const body = bodyOf(request);
      const publicUrl = options.publicUrl();
      const asked = readLinkRequest(shapeOf(request), body, options.sandboxWorld !== undefined);
      const apiKey = apiKeyOf(request);
      assertKeyAllowsLink(apiKey.restrictions, asked, asked.tokensAt);
      const creation = { asked, body, apiKey, publicUrl, deadline: deadlineOf() };
      const answered = await inFlight.countBuild(() => answerLink(creation, idempotencyKey, options));
      return sendKeyed(request, reply.code(201), answered);
    });
  });
  app.withTypeProvider<TypeBoxTypeProvider>().get(linksPath, listLinksRoute, async (request, reply) => {
    const publicUrl = options.publicUrl();
    const page = readListQuery(queryShapeOf(request), request.query, Date.now());
    const apiKey = apiKeyOf(request);
    assertKeyAllowsLinks(apiKey.restrictions);
    await countItems(limiter, apiKey, reply, page.limit - 1);
    const views = await inFlight.countBuild(() => links.list(apiKey.rootId, page, deadlineOf()));
    const { shown, next_cursor: nextCursor } = shownOf(views, page, ({ link }) => link);
    // Some may have been paid since they were stored so.
    const asked = shown.filter(({ state }) => page.filter.state === undefined || state === page.filter.state.name);
    const text = linkListText(asked, publicUrl, nextCursor);
    return reply.type('application/json').send(text);
  });
  app.get(linkPath, readLinkRoute, async (request, reply) => {
    const publicUrl = options.publicUrl();
    assertKeyAllowsLinks(apiKeyOf(request).restrictions);
    const view = await inFlight.countBuild(async () => {
      const deadline = deadlineOf();
      const known = await findOwn(request, deadline);
      // While no node answers, what is known is given.
      return refunds.refresh(known, new Work({ owner: apiKeyOf(request).rootId, deadline })).catch((error: unknown) => {
        if (error instanceof UpstreamFault || isAppError(error, 'overloaded')) return known;
        throw error;
      });
    });
    return reply.type('application/json').send(linkText('found', view, publicUrl));
  });
  registerRefundRoute(app, { ...options, refunds });
  app.register(async (scope) => {
    acceptEmptyBodies(scope);
    scope.post(`${linkPath}/cancel`, cancelLinkRoute, async (request, reply) => {
      const publicUrl = options.publicUrl();
      assertEmptyBody(request.body);
      // Whatever the key is limited to by now: it can always take back what it has made.
      const deadline = deadlineOf();
      const cancelled = await inFlight.countBuild(async () => {
        const { link } = await findOwn(request, deadline);
        return links.cancel(link.id, deadline);
      });
      if (!cancelled) throw linkNotFound();
      return reply.type('application/json').send(linkText('cancelled', cancelled, publicUrl));
    });
  });
}

export interface LinkMakerOptions {
  links: PaymentLinks;
  keyedRequests: KeyedRequests;
  /** The world of the service's own sandbox; absent on a real network. */
  sandboxWorld?: object;
}

/** A link to make, which the API key allows. */
export interface AskedLink {
  asked: NewPaymentLink;
  /** As it was parsed. */
  body: unknown;
  apiKey: AuthenticatedKey;
  publicUrl: string;
  deadline: Deadline;
}

/** Makes a link. With an `Idempotency-Key`, each retry gets the reply to the first request. */
export async function answerLink(
  request: AskedLink,
  idempotencyKey: string | undefined,
  options: LinkMakerOptions,
): Promise<KeyedReply> {
  const { asked, body, apiKey, publicUrl, deadline } = request;
  const build = async () => {
    const view = await makeLink(request, options);
    const headers = { location: `${linksPath}/${view.link.id}` };
    return { reply: linkText('created', view, publicUrl), headers, transactions: [] };
  };
  if (idempotencyKey === undefined) return { ...(await build()), isReplay: false };
  const id = { scope: apiKey.rootId, path: linksPath, key: idempotencyKey };
  const assertAllowed = (): void => assertKeyAllowsLink(apiKey.restrictions, asked, asked.tokensAt);
  return options.keyedRequests.answer({ id, ...hashBody(body), build, assertAllowed }, deadline);
}

async function makeLink(
  { asked, apiKey, deadline }: AskedLink,
  { links, sandboxWorld }: LinkMakerOptions,
): Promise<LinkView> {
  const { id: keyId, rootId: ownerId, restrictions } = apiKey;
  const owner = {
    ownerId,
    keyId,
    dailyLimits: dailyLimitsOf(restrictions),
    sponsorsRent: restrictions.sponsorsRent,
    // Before the mint was read, a decimal amount had no base units yet.
    ...(tokensAsked(asked).some(({ maxAmount }) => typeof maxAmount !== 'bigint') && {
      assertMayMake: (link: PaymentLink) => assertKeyAllowsDecimalLink(restrictions, link, asked.tokensAt),
    }),
  };
  return links.create(asked, owner, deadline).catch((error: unknown) => {
    if (!isTransferRefused(error)) throw error;
    const at = error instanceof LinkRefused ? error.at : [];
    const describe = (finding: Finding, index: number) => {
      const described = describeLinkFinding(finding, sandboxWorld !== undefined);
      const isOfToken = /^\/(token_mint_address|amount)/.test(described.pointer);
      return isOfToken ? { ...described, pointer: `${at[index] ?? ''}${described.pointer}` } : described;
    };
    // What is wrong with the recipient is so in every token.
    const told = new Map(error.findings.map(describe).map((found) => [`${found.pointer} ${found.detail}`, found]));
    const [first, ...others] = told.values();
    throw first ? refusalOf([first, ...others]) : error;
  });
}
