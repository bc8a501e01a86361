import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

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

/** How long browsers keep the answer to a preflight: two hours, the most that Chromium does. */
export const preflightMaxAgeSeconds = 7_200;

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
