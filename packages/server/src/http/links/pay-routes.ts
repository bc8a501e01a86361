import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Address, addressToBytes, isOnCurve } from 'splwright-core';
import { TransferRefused } from '../../build/transfer-refused.ts';
import { AppError } from '../../errors.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { LinkView } from '../../links/link-view.ts';
import type { LinkTransaction, PaymentLinks } from '../../links/payment-links.ts';
import type { PaymentLink } from '../../links/records/payment-link-store.ts';
import { actionJson, payReplyJson } from '../../wire/links/action-json.ts';
import { boundsMessage } from '../../wire/links/payer-message.ts';
import { readPayAmount, readPayBody } from '../../wire/links/read-pay-request.ts';
import type { Work } from '../../work/work.ts';
import type { RequestsInFlight } from '../load/in-flight.ts';
import { workOf } from '../load/work-of.ts';
import { registerRoutes } from '../register-routes.ts';
import { lifetimeHeaders } from '../transfers/transfer-reply.ts';
import { linkIdOf, linkNotFound, publicUrlOf, queryOf } from './link-requests.ts';
import { limitPayers } from './pay-limits.ts';
import {
  type PayPageOptions,
  payAssetHandlers,
  payPageHandlers,
  sendPayPage,
  showProblemsAsPages,
} from './pay-page-routes.ts';
import { refusalOfFinding, refusalOfPayment } from './payment-refusal.ts';
import { prefersPage } from './prefers-page.ts';

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
  /** The origins from which the page of a link may show its icon. */
  iconOrigins: readonly string[];
}

const actionRules = { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] };

/** Registers what wallets ask of a link, within the limits of payers: what it is, and the transaction that pays it. */
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

  async function pay(request: FastifyRequest): Promise<LinkTransaction> {
    const work = timedWorkOf(request);
    if (request.body === undefined) throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
    const account = readPayBody(request.body);
    if ('finding' in account) throw refusalOfFinding(account.finding);
    const found = await find(request, (id) => links.find(id));
    const amount = readPayAmount(queryOf(request), found.link);
    if ('finding' in amount) throw refusalOfFinding(amount.finding, boundsMessage(found.link));
    assertCanPay(account.value, found.link);
    try {
      return await links.pay(found, account.value, amount.value, work);
    } catch (error) {
      throw refusalOfPayment(error, found.link);
    }
  }

  registerRoutes(app, payAssetHandlers);
  app.register(async (limited) => {
    limitPayers(limited, { limiter: options.limiter, perMinute: options.payRateLimitPerMinute });
    showProblemsAsPages(limited);
    registerRoutes(limited, {
      ...payPageHandlers(pageOptions),
      showPaymentLink: async (request, reply) => {
        reply.header('vary', 'Accept');
        const publicUrl = publicUrlOf(options.publicUrl);
        const view = await read(request);
        if (prefersPage(request.headers.accept)) return sendPayPage(request, reply, view, pageOptions);
        return reply.type('application/json').send(JSON.stringify(actionJson(view, publicUrl)));
      },
      payPaymentLink: async (request, reply) => {
        const publicUrl = publicUrlOf(options.publicUrl);
        const paid = await inFlight.countBuild(() => pay(request));
        reply.headers(lifetimeHeaders(paid.lifetime)).type('application/json');
        return reply.send(JSON.stringify(payReplyJson(paid.view.link, paid, publicUrl)));
      },
      describeActions: (_request, reply) => reply.type('application/json').send(JSON.stringify(actionRules)),
    });
  });
}

/** Throws the refusal of a wallet that cannot pay a link, whatever the chain says. */
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
