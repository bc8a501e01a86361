import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendAsset } from '../../app/pages/assets.ts';
import { prefersPage } from '../../app/pages/page-replies.ts';
import { refusalOf } from '../../app/validate.ts';
import type { Brand } from '../../config/brand.ts';
import { tokenUrl } from '../link-json.ts';
import { amountOutOfBounds } from '../link-problems.ts';
import { readPayAmount } from '../link-requests.ts';
import { type LinkView, viewIn } from '../link-view.ts';
import type { PayChain } from '../pay-chain.ts';
import { payPath, walletRoute } from '../pay-schema.ts';
import type { RecentRefusal } from '../recent-refusals.ts';
import type { PaymentLink } from '../records/payment-link.ts';
import type { PaySandbox } from './pay-page.ts';
import { registerBrand } from './shop-icon.ts';

// Pages are loaded when one is first asked for, since most services never are: a start reads none of their files.

export interface PayPageOptions {
  /** Returns the link of a request as the chain shows it. Throws when it does not exist. */
  read(request: FastifyRequest): Promise<LinkView>;
  /** Returns the origin at which wallets reach the service. Throws when there is none. */
  publicUrl: () => string;
  chain: () => Promise<PayChain | undefined>;
  sandboxWorld?: PaySandbox | undefined;
  iconOrigins: readonly string[];
  brand: Brand;
  /** Why a wallet was last refused a payment of the link with this id. */
  findRefusal: (linkId: string) => RecentRefusal | undefined;
}

const receiptPath = `${payPath}/receipt`;

/** The headers that decide between the page of a link and its JSON. */
export const payVary = 'Accept, User-Agent';

// Robots that make previews for chats and social networks, which take anything. Their operators and the specifications of wallets
// name no media type: facebookexternalhit, WhatsApp, Slackbot, TelegramBot, Discordbot, Twitterbot, SkypeUriPreview, Cardyb.
const previewRobot = /bot\b|externalhit|whatsapp|preview|cardyb|vkshare|embedly/i;

/** Whether a request for a link is answered with its page: that of a browser, or of a robot that makes previews. Wallets get JSON. */
export function asksForPayPage({ headers }: FastifyRequest): boolean {
  const { accept = '', 'user-agent': agent = '' } = headers;
  return prefersPage(accept) || (previewRobot.test(agent) && !/\bjson\b/i.test(accept));
}

/** Registers what is the same in the pages of all links: their style, scripts and icons. */
export function registerPayAssets(app: FastifyInstance, brand: Brand): void {
  app.get('/pay-assets/*', walletRoute, sendAsset);
  registerBrand(app, brand);
}

/** Registers what the page of a link asks for again and again: its state and its QR code. */
export function registerPayState(scope: FastifyInstance, options: PayPageOptions): void {
  scope.get(`${payPath}/state`, walletRoute, async (request, reply) => {
    const signature = queryText(request, 'signature');
    const view = await options.read(request);
    const { payState } = await import('./pay-state.ts');
    const refusal = options.findRefusal(view.link.id);
    return reply.type('application/json').send(JSON.stringify(payState(view, signature, refusal)));
  });
  scope.get(receiptPath, walletRoute, async (request, reply) => {
    const view = await options.read(request);
    const { receiptPage } = await import('./receipt-page.ts');
    const page = receiptPage(view, { ...(await contextOf(options)), signature: queryText(request, 'signature') });
    return reply.headers(await pageHeaders(options.iconOrigins)).send(page);
  });
  scope.get(`${payPath}/qr.svg`, walletRoute, async (request, reply) => {
    const { link } = chosenIn(await options.read(request), request);
    const { payCode } = await import('./pay-state.ts');
    const { svg } = payCode(tokenUrl(link, options.publicUrl()), link, amountOf(request, link));
    // An image that is opened by itself is a document: one that may load nothing and run nothing.
    const policy = "default-src 'none'; frame-ancestors 'none'";
    reply.headers({ 'cache-control': 'public, max-age=3600', 'content-security-policy': policy });
    return reply.type('image/svg+xml').send(svg);
  });
}

/** Sends the page of a link in any state. */
export async function sendPayPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: LinkView,
  options: Omit<PayPageOptions, 'read'>,
): Promise<FastifyReply> {
  const { payPage } = await import('./pay-page.ts');
  const chosen = chosenIn(view, request);
  const typedAmount = queryText(request, 'amount');
  const url = tokenUrl(chosen.link, options.publicUrl());
  const page = payPage(chosen, { ...(await contextOf(options)), url, now: Date.now(), typedAmount });
  return reply.headers(await pageHeaders(options.iconOrigins, options.sandboxWorld)).send(page);
}

async function contextOf(options: Omit<PayPageOptions, 'read'>) {
  const { sandboxWorld, iconOrigins, brand } = options;
  const publicUrl = options.publicUrl();
  const chain = await options.chain();
  return { publicUrl, chain, sandboxWorld, iconOrigins, brand };
}

/** Gives browsers that open a link of this scope a page in place of every problem document, with the same status. */
export function showProblemsAsPages(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const { url } = request.routeOptions;
    const isPage = request.method === 'GET' && (url === payPath || url === receiptPath);
    if (reply.statusCode < 400 || !isPage || !asksForPayPage(request)) return payload;
    const seconds = Number(reply.getHeader('retry-after'));
    const { payProblemPage } = await import('./pay-page.ts');
    reply.headers({ ...(await pageHeaders([])), vary: payVary });
    return payProblemPage(reply.statusCode, seconds > 0 ? seconds : undefined);
  });
}

async function pageHeaders(iconOrigins: readonly string[], sandbox?: PaySandbox): Promise<Record<string, string>> {
  const { pagePolicy } = await import('../../app/pages/page-shell.ts');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(iconOrigins, sandbox ? [new URL(sandbox.rpc_url).origin] : []),
    'referrer-policy': 'no-referrer',
  };
}

/** A link in the token that the query names, otherwise as it is. */
function chosenIn(view: LinkView, request: FastifyRequest): LinkView {
  return viewIn(view, queryText(request, 'mint') ?? view.link.mint) ?? view;
}

/** Returns the amount for the QR code: that of the link if it is fixed, otherwise the exact decimal text in the query, or the least. */
function amountOf(request: FastifyRequest, link: PaymentLink): bigint {
  const typed = queryText(request, 'amount');
  if (typed === undefined || link.minAmount === link.maxAmount) return link.minAmount;
  const read = readPayAmount(new URLSearchParams({ amount: typed }), link);
  if ('finding' in read) throw refusalOf([read.finding]);
  const amount = read.value ?? link.minAmount;
  if (amount >= link.minAmount && amount <= link.maxAmount) return amount;
  throw amountOutOfBounds(link, amount);
}

/** Returns a parameter of the query; `undefined` when it is missing or repeated. */
function queryText(request: FastifyRequest, name: string): string | undefined {
  const value: unknown = Object(request.query)[name];
  return typeof value === 'string' ? value : undefined;
}
