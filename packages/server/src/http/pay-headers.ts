import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPayPath } from '../wire/routes.ts';

/** The version of the specification of Solana Actions that replies follow. */
const actionVersion = '2.4';

// What the specification wants, and those that every reply may have.
const exposedHeaders =
  'X-Action-Version, X-Blockchain-Ids, Solana-Blockhash, Solana-Last-Valid-Block-Height, Retry-After';
const allowedHeaders =
  'Content-Type, Authorization, Content-Encoding, Accept-Encoding, X-Accept-Action-Version, X-Accept-Blockchain-Ids';
const allowedMethods = 'GET,POST,PUT,OPTIONS';
// Two hours, the most that Chromium keeps the answer to a preflight.
const preflightMaxAgeSeconds = 7_200;

/** The headers of every reply to a wallet, whatever the cluster is. */
export const walletHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
  'x-action-version': actionVersion,
};

/**
 * Opens the paths of wallets to pages of any origin, as the specification of Actions wants: every reply there has its headers,
 * refusals too, and every OPTIONS request is answered.
 *
 * To be called before the hooks for other paths. `blockchainId` names the cluster, such as `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`;
 * `undefined` where that cannot be found out now.
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
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': preflightMaxAgeSeconds,
      })
      .send();
    return true;
  }
}
