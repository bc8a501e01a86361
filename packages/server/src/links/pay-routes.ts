import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Address, addressToBytes, type Finding, isOnCurve } from 'splwright-core';
import { clientNetworkOf } from '../app/client-network.ts';
import { preflightMaxAgeSeconds } from '../app/cors.ts';
import { bodyOf } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import type { RefusalAudience } from '../app/problem-replies.ts';
import type { Shape } from '../app/read-shape.ts';
import { refusalOf, shapeOf } from '../app/validate.ts';
import type { Work } from '../app/work.ts';
import { workOf } from '../app/work-of.ts';
import { AppError } from '../problems.ts';
import { lifetimeHeaders } from '../transfers/transaction-replies.ts';
import { TransferRefused } from '../transfers/transfer-refused.ts';
import { actionJson, payReplyJson } from './action-json.ts';
import { refusalOfPayment } from './link-problems.ts';
import { linkIdOf, linkNotFound, queryOf, readPayAmount, readPayBody, readPayToken } from './link-requests.ts';
import type { LinkView } from './link-view.ts';
import {
  asksForPayPage,
  type PayPageOptions,
  payVary,
  registerPayAssets,
  registerPayState,
  sendPayPage,
  showProblemsAsPages,
} from './page/pay-page-routes.ts';
import { actionsPath, payPath, payRoutes, walletRoute } from './pay-schema.ts';
import { describeBounds, describeProblemToPayer } from './payer-words.ts';
import type { PaymentLinks } from './payment-links.ts';
import type { LinkTransaction } from './payment-request.ts';
import { RecentRefusals } from './recent-refusals.ts';
import type { PaymentLink } from './records/payment-link.ts';

export interface PayRouteOptions extends Omit<PayPageOptions, 'read' | 'findRefusal'> {
  limiter: RateLimiter;
  /** How many requests per minute the payers of one network may make; 0 for no limit. */
  payRateLimitPerMinute: number;
  links: Pick<PaymentLinks, 'find' | 'show' | 'pay'>;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
}

const actionRules = { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] };

/** Registers the routes of wallets, within the limits of payers: what a link is, and the transaction that pays it. */
export function registerPayRoutes(app: FastifyInstance, options: PayRouteOptions): void {
  const { links, inFlight, requestDeadlineMs, brand } = options;
  const refusals = new RecentRefusals();

  function timedWorkOf(request: FastifyRequest): Work {
    const work = workOf(request);
    work.deadline = performance.now() + requestDeadlineMs;
    return work;
  }

  async function read(request: FastifyRequest): Promise<LinkView> {
    const id = linkIdOf(request);
    const view = await inFlight.countBuild(() => links.show(id, timedWorkOf(request)));
    if (!view) throw linkNotFound();
    return view;
  }

  const pageOptions: PayPageOptions = { ...options, read, findRefusal: (linkId) => refusals.find(linkId) };

  async function pay(request: FastifyRequest, shape: Shape<{ account: string }>): Promise<LinkTransaction> {
    const work = timedWorkOf(request);
    bodyOf(request);
    const account = readPayBody(shape);
    if ('finding' in account) throw refusalOf([account.finding]);
    const stored = await links.find(linkIdOf(request));
    if (!stored) throw linkNotFound();
    const token = readPayToken(queryOf(request), stored.link);
    if ('finding' in token) throw refusalOf([token.finding]);
    const found = { ...stored, link: token.value };
    const amount = readPayAmount(queryOf(request), found.link);
    if ('finding' in amount) throw refusalOf([amount.finding]).forPayer(describeBounds(found.link));
    try {
      assertCanPay(account.value, found.link);
      return await links.pay(found, account.value, amount.value, work);
    } catch (error) {
      refusals.note(found.link, account.value, error);
      throw refusalOfPayment(error, found.link);
    }
  }

  registerPayAssets(app, brand);
  app.register(async (limited) => {
    limitPayers(limited, options.limiter, options.payRateLimitPerMinute);
    showProblemsAsPages(limited);
    registerPayState(limited, pageOptions);
    limited.get(payPath, payRoutes.show, async (request, reply) => {
      reply.header('vary', payVary);
      const publicUrl = options.publicUrl();
      const view = await read(request);
      if (asksForPayPage(request)) return sendPayPage(request, reply, view, pageOptions);
      const place = { publicUrl, brand, chain: await options.chain() };
      return reply.type('application/json').send(JSON.stringify(actionJson(view, place)));
    });
    limited.withTypeProvider<TypeBoxTypeProvider>().post(payPath, payRoutes.pay, async (request, reply) => {
      const publicUrl = options.publicUrl();
      const paid = await inFlight.countBuild(() => pay(request, shapeOf(request)));
      reply.headers(lifetimeHeaders(paid.lifetime)).type('application/json');
      return reply.send(JSON.stringify(payReplyJson(paid.view.link, paid, { publicUrl, brand })));
    });
    limited.get(actionsPath, walletRoute, (_request, reply) => {
      reply.type('application/json').send(JSON.stringify(actionRules));
    });
  });
}

/** Throws the refusal of a wallet that cannot pay a link, found without asking the chain. */
function assertCanPay(account: Address, link: PaymentLink): void {
  const isOffCurve = !isOnCurve(addressToBytes(account));
  if (!isOffCurve && account !== link.recipient) return;
  const finding: Finding = isOffCurve
    ? { code: 'sender_off_curve', field: 'from', context: { sender: account } }
    : { code: 'same_wallet', field: 'from', context: { wallet: account } };
  throw new TransferRefused([finding]);
}

// A page asks for its state every two seconds, and many pages may be behind one address.
const pollFactor = 10;

/**
 * Limits the rate of requests to every route of a scope by the network of the client; 0 for no limit.
 *
 * Requests that only ask for a state or an image have a limit of their own, which is ten times as high.
 */
function limitPayers(scope: FastifyInstance, limiter: RateLimiter, perMinute: number): void {
  if (perMinute === 0) return;
  scope.addHook('onRequest', async (request) => {
    const isPoll = request.routeOptions.url?.startsWith(`${payPath}/`) === true;
    const [kind, rateLimitPerMinute] = isPoll ? ['poll', perMinute * pollFactor] : ['pay', perMinute];
    const decision = await limiter.take({ id: `${kind}:${clientNetworkOf(request.ip)}`, rateLimitPerMinute });
    if (!decision || decision.isAllowed) return;
    const seconds = Math.ceil(decision.remainingMs / 1000);
    throw new AppError(
      'rate_limited',
      `Too many requests came from this address. Come back in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      { retryAfterSeconds: seconds },
    );
  });
}

/** Whether a URL is under the paths of wallets and payers, even if no route handles it. */
function isPayPath(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path === actionsPath || path === '/pay' || path.startsWith('/pay/');
}

/**
 * Returns the URL of a request without a slash after the id of a link, which people and programs append. It is not redirected, since
 * wallets do not follow a redirect of a POST.
 */
export function routedUrl(url: string): string {
  return url.startsWith('/pay/') ? url.replace(/^(\/pay\/[1-9A-HJ-NP-Za-km-z]{16})\/(?=\?|$)/, '$1') : url;
}

/** The version of the specification of Solana Actions that replies follow. */
const actionVersion = '2.4';

// What the specification wants, and those that every reply may have.
const headersExposedToWallets =
  'X-Action-Version, X-Blockchain-Ids, Solana-Blockhash, Solana-Last-Valid-Block-Height, Retry-After';
const headersTakenFromWallets =
  'Content-Type, Authorization, Content-Encoding, Accept-Encoding, X-Accept-Action-Version, X-Accept-Blockchain-Ids';
const walletMethods = 'GET,POST,PUT,OPTIONS';

/** The headers of every reply to a wallet, on any cluster. */
const walletHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': headersExposedToWallets,
  'x-action-version': actionVersion,
};

/**
 * Opens the paths of wallets to pages of any origin, as the specification of Actions wants: every reply there has its headers,
 * refusals too, and every OPTIONS request is answered.
 *
 * To be called before the hooks for other paths. `blockchainId` names the cluster, such as `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`;
 * `undefined` while no node says which it is.
 */
export function openToWallets(app: FastifyInstance, blockchainId: () => Promise<string | undefined>): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isPayPath(request.url)) done();
    else addHeaders(request, reply).then((isAnswered) => isAnswered || done(), done);
  });

  async function addHeaders(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const blockchain = await blockchainId();
    reply.headers(walletHeaders);
    if (blockchain !== undefined) reply.header('x-blockchain-ids', blockchain);
    if (request.method !== 'OPTIONS') return false;
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': walletMethods,
        'access-control-allow-headers': headersTakenFromWallets,
        'access-control-max-age': preflightMaxAgeSeconds,
      })
      .send();
    return true;
  }
}

/** Wallets, and the payers behind them: what a refusal says to them. */
export const wallets: RefusalAudience = {
  asks: isPayPath,
  headers: walletHeaders,
  describe: describeProblemToPayer,
};
