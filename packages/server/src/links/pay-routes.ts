import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Address, addressToBytes, isOnCurve } from 'splwright-core';
import { clientNetworkOf } from '../app/client-network.ts';
import { bodyOf } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import { prefersPage } from '../app/pages/page-replies.ts';
import type { Shape } from '../app/read-shape.ts';
import { shapeOf } from '../app/validate.ts';
import type { Work } from '../app/work.ts';
import { workOf } from '../app/work-of.ts';
import { AppError } from '../problems.ts';
import { lifetimeHeaders } from '../transfers/transaction-replies.ts';
import { TransferRefused } from '../transfers/transfer-refused.ts';
import { actionJson, payReplyJson } from './action-json.ts';
import { refusalOfFinding, refusalOfPayment } from './link-refusals.ts';
import { linkIdOf, linkNotFound, publicUrlOf, queryOf } from './link-requests.ts';
import type { LinkView } from './link-view.ts';
import {
  type PayPageOptions,
  payAssetHandlers,
  payPageHandlers,
  sendPayPage,
  showProblemsAsPages,
} from './page/pay-page-routes.ts';
import { readPayAmount, readPayBody } from './pay-inputs.ts';
import { actionsPath, payPath, payRoutes, walletRoute } from './pay-route-schemas.ts';
import { describeBounds } from './payer-words.ts';
import type { LinkTransaction, PaymentLinks } from './payment-links.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** What the routes of wallets use. */
export interface PayRouteOptions {
  limiter: RateLimiter;
  /** How many requests per minute the payers of one network may make; 0 for no limit. */
  payRateLimitPerMinute: number;
  links: Pick<PaymentLinks, 'find' | 'show' | 'pay'>;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
  /** The origin at which wallets reach the service; `undefined`: there are no links. */
  publicUrl: () => string | undefined;
  /** The network, as the Wallet Standard names it; `undefined` while no node says which it is. */
  chain: PayPageOptions['chain'];
  /** What the sandbox has, whose wallets can pay on the page of a link; absent on a real network. */
  sandboxWorld?: PayPageOptions['sandboxWorld'];
  /** The origins from which the page of a link may show its icon. */
  iconOrigins: readonly string[];
}

const actionRules = { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] };

/** Registers the routes of wallets, within the limits of payers: what a link is, and the transaction that pays it. */
export function registerPayRoutes(app: FastifyInstance, options: PayRouteOptions): void {
  const { links, inFlight, requestDeadlineMs } = options;

  async function find<Link>(
    request: FastifyRequest,
    findById: (id: string) => Promise<Link | undefined>,
  ): Promise<Link> {
    const id = linkIdOf(request);
    const found = id === undefined ? undefined : await findById(id);
    if (!found) throw linkNotFound();
    return found;
  }

  function timedWorkOf(request: FastifyRequest): Work {
    const work = workOf(request);
    work.deadline = performance.now() + requestDeadlineMs;
    return work;
  }

  function read(request: FastifyRequest): Promise<LinkView> {
    const work = timedWorkOf(request);
    return inFlight.countBuild(() => find(request, (id) => links.show(id, work)));
  }

  const pageOptions: PayPageOptions = {
    ...options,
    read,
    publicUrl: () => publicUrlOf(options.publicUrl),
    now: Date.now,
  };

  async function pay(request: FastifyRequest, shape: Shape<{ account: string }>): Promise<LinkTransaction> {
    const work = timedWorkOf(request);
    bodyOf(request);
    const account = readPayBody(shape);
    if ('finding' in account) throw refusalOfFinding(account.finding);
    const found = await find(request, (id) => links.find(id));
    const amount = readPayAmount(queryOf(request), found.link);
    if ('finding' in amount) throw refusalOfFinding(amount.finding, describeBounds(found.link));
    assertCanPay(account.value, found.link);
    try {
      return await links.pay(found, account.value, amount.value, work);
    } catch (error) {
      throw refusalOfPayment(error, found.link);
    }
  }

  app.get('/pay-assets/:name', walletRoute, payAssetHandlers.sendPageAsset);
  app.get('/pay/icon.svg', walletRoute, payAssetHandlers.sendPageIcon);
  app.register(async (limited) => {
    limitPayers(limited, options.limiter, options.payRateLimitPerMinute);
    showProblemsAsPages(limited);
    const { showPaymentState, drawPaymentCode } = payPageHandlers(pageOptions);
    limited.get(payPath, payRoutes.show, async (request, reply) => {
      reply.header('vary', 'Accept');
      const publicUrl = publicUrlOf(options.publicUrl);
      const view = await read(request);
      if (prefersPage(request.headers.accept)) return sendPayPage(request, reply, view, pageOptions);
      return reply.type('application/json').send(JSON.stringify(actionJson(view, publicUrl)));
    });
    limited.withTypeProvider<TypeBoxTypeProvider>().post(payPath, payRoutes.pay, async (request, reply) => {
      const publicUrl = publicUrlOf(options.publicUrl);
      const paid = await inFlight.countBuild(() => pay(request, shapeOf(request)));
      reply.headers(lifetimeHeaders(paid.lifetime)).type('application/json');
      return reply.send(JSON.stringify(payReplyJson(paid.view.link, paid, publicUrl)));
    });
    limited.get(`${payPath}/state`, walletRoute, showPaymentState);
    limited.get(`${payPath}/qr.svg`, walletRoute, drawPaymentCode);
    limited.get(actionsPath, walletRoute, (_request, reply) => {
      reply.type('application/json').send(JSON.stringify(actionRules));
    });
  });
}

/** Throws the refusal of a wallet that cannot pay a link, found without asking the chain. */
function assertCanPay(account: Address, link: PaymentLink): void {
  const refuse = (refused: TransferRefused): void => {
    throw refusalOfPayment(refused, link);
  };
  if (!isOnCurve(addressToBytes(account))) {
    refuse(new TransferRefused([{ code: 'sender_off_curve', field: 'from', context: { sender: account } }]));
  }
  if (account === link.recipient) {
    refuse(new TransferRefused([{ code: 'same_wallet', field: 'from', context: { wallet: account } }]));
  }
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
