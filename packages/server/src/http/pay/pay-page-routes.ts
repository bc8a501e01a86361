import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { AppError } from '../../errors.ts';
import { assets, findAsset } from '../../pages/assets.ts';
import { readChosenAmount } from '../../pages/chosen-amount.ts';
import { pagePolicy } from '../../pages/page-shell.ts';
import { payCode } from '../../pages/pay-code.ts';
import { type PayChain, payPage } from '../../pages/pay-page.ts';
import { payState } from '../../pages/pay-state.ts';
import type { PayView } from '../../pages/pay-view.ts';
import { payProblemPage } from '../../pages/problem-page.ts';

/** What the page of a link and what it loads are served with. */
export interface PayPageOptions {
  /** The link as the chain shows it; `undefined` when there is none. `deadline` is a reading of `performance.now`. */
  read(id: string, deadline: number): Promise<PayView | undefined>;
  /** The origin under which the world reaches the service. */
  publicUrl: () => string;
  chain: PayChain;
  /** The origins from which the page may show the icons of links. */
  iconOrigins: readonly string[];
  requestDeadlineMs: number;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

/** The handlers of what the page of a link loads. */
export type PayPageHandlers = Readonly<
  Record<'showPayState' | 'showPayQrCode' | 'showPayAsset' | 'showPayIcon', RouteHandlerMethod>
>;

/** Returns the handlers of what the page of a link loads: its state, its QR code, its style, scripts and icon. */
export function payPageHandlers(options: PayPageOptions): PayPageHandlers {
  return {
    showPayState: async (request, reply) => {
      const signature = queryText(request, 'signature');
      const view = await readLink(request, options);
      return reply.send(payState(view, signature));
    },
    showPayQrCode: async (request, reply) => {
      const { link } = await readLink(request, options);
      const typed = queryText(request, 'amount');
      const read = typed === undefined ? { amount: link.minAmount } : readChosenAmount(typed, link);
      if (read.amount === undefined) throw new AppError('amount_out_of_bounds', read.fault);
      const { svg } = payCode(urlOf(link.id, options), link, read.amount);
      return sendStatic(reply, 'image/svg+xml', Buffer.from(svg), 'public, max-age=3600');
    },
    showPayAsset: (request, reply) => {
      const asset = findAsset(String(Object(request.params).name));
      if (asset === undefined) throw new AppError('route_not_found', 'There is no file of this name.');
      return sendStatic(reply, asset.mediaType, asset.bytes, 'public, max-age=31536000, immutable');
    },
    showPayIcon: (_request, reply) =>
      sendStatic(reply, assets.icon.mediaType, assets.icon.bytes, 'public, max-age=86400'),
  };
}

/** Sends the page of a link, in whatever state it is. */
export function sendPayPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: PayView,
  options: Pick<PayPageOptions, 'publicUrl' | 'chain' | 'iconOrigins' | 'now'>,
): FastifyReply {
  const page = payPage(view, {
    ...options,
    url: urlOf(view.link.id, options),
    now: options.now(),
    typedAmount: queryText(request, 'amount'),
  });
  return sendPage(reply, page, options.iconOrigins);
}

/** Sends the page that people get in place of a problem document. The reply has its status and headers already. */
export function sendPayProblemPage(reply: FastifyReply, retryAfterSeconds?: number): FastifyReply {
  return sendPage(reply, payProblemPage(reply.statusCode, retryAfterSeconds), []);
}

function sendPage(reply: FastifyReply, page: string, iconOrigins: readonly string[]): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': pagePolicy(iconOrigins), 'referrer-policy': 'no-referrer' })
    .send(page);
}

// An image that is opened by itself is a document: one that may load nothing and run nothing.
function sendStatic(reply: FastifyReply, mediaType: string, bytes: Buffer, caching: string): FastifyReply {
  return reply
    .type(mediaType)
    .headers({ 'cache-control': caching, 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" })
    .send(bytes);
}

async function readLink(request: FastifyRequest, options: PayPageOptions): Promise<PayView> {
  const view = await options.read(String(Object(request.params).id), performance.now() + options.requestDeadlineMs);
  if (view === undefined) throw new AppError('payment_link_not_found', 'There is no such payment link.');
  return view;
}

function urlOf(id: string, { publicUrl }: Pick<PayPageOptions, 'publicUrl'>): string {
  return `${publicUrl()}/pay/${id}`;
}

/** A parameter of the query; `undefined` when it is missing or there several times. */
function queryText(request: FastifyRequest, name: string): string | undefined {
  const value: unknown = Object(request.query)[name];
  return typeof value === 'string' ? value : undefined;
}
