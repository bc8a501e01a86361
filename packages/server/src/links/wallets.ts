import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { preflightMaxAgeSeconds } from '../app/cors.ts';
import type { RefusalAudience } from '../app/problem-replies.ts';
import { actionsPath } from './pay-route-schemas.ts';
import { describeProblemToPayer } from './payer-words.ts';

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
