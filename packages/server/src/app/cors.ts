import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPayPath } from './openapi/route-table.ts';

/** Stands for every origin. */
const anyOrigin = '*';

/** The headers of replies that pages may read in addition to those that browsers always show. */
const exposedHeaders = [
  'Solana-Blockhash',
  'Solana-Last-Valid-Block-Height',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

// Two hours, the most that Chromium keeps the answer to a preflight.
const preflightMaxAgeSeconds = 7_200;

/**
 * Lets pages of `origins` read replies, and answers their preflights. Without origins it changes nothing.
 *
 * Applies to every route whose `config.cors` is not `false`. Hooks that are added later run after it: a preflight, which has no
 * key, never reaches them. No reply allows credentials.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const isAnyAllowed = origins.includes(anyOrigin);
  const known = new Set(origins);
  app.register(cors, {
    origin: (origin, done) => {
      // Without the header, nothing is added but `Vary`.
      if (origin === undefined) done(null, false);
      else if (isAnyAllowed) done(null, anyOrigin);
      else done(null, known.has(origin) && origin);
    },
    exposedHeaders,
    maxAge: preflightMaxAgeSeconds,
    // Otherwise an OPTIONS request that is no preflight would get a reply that is no problem document.
    strictPreflight: false,
  });
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
export const walletHeaders = {
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
