import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../problems.ts';
import { storeRetrySeconds } from '../store/store-faults.ts';
import type { AuthenticatedKey } from './authenticated-key.ts';
import type { Authenticator, KeyRefusal, KeyVerdict } from './authentication/authenticator.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of the request; `null` before it is checked, and on routes that need none. */
    apiKey: AuthenticatedKey | null;
  }
}

const wantedHeader = 'Send the header Authorization: Bearer <API key>';

/**
 * Makes every route of a scope require an API key, checked before the body is read, and sets `request.apiKey`.
 *
 * Refusals are `AppError`s that never repeat the header: of status 401, or 429 or 503 when the key cannot be looked up.
 */
export function requireApiKey(scope: FastifyInstance, authenticator: Authenticator): void {
  // A callback and not a promise: a recently used key costs no turn of the event loop.
  scope.addHook('onRequest', (request, _reply, done) => {
    const settle = (verdict: KeyVerdict): void => {
      if (verdict.kind === 'valid') request.apiKey = verdict.key;
      done(verdict.kind === 'valid' ? undefined : keyRefusalOf(verdict));
    };
    const key = bearerTokenOf(request.headers.authorization);
    if (key === undefined)
      throw new AppError('api_key_missing', `${wantedHeader}; ${describeHeaders(request.headers)}.`);
    const verdict = authenticator.authenticate(key, request);
    if (verdict instanceof Promise) verdict.then(settle, done);
    else settle(verdict);
  });
}

/** Returns the key of a request on a route that requires one. Throws on other routes, so that none is allowed by mistake. */
export function apiKeyOf({ apiKey }: FastifyRequest): AuthenticatedKey {
  if (apiKey === null) throw new Error('this route checks no API key');
  return apiKey;
}

function bearerTokenOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
}

// Says what a request has in place of the header, without repeating any of it: a key may be in the wrong place.
function describeHeaders({ authorization = '', ...headers }: IncomingHttpHeaders): string {
  const text = authorization.trim();
  if (text === '') return 'x-api-key' in headers ? 'this request has its key in X-API-Key' : 'this request has none';
  if (/^Bearer$/i.test(text)) return 'this request has no key after Bearer';
  if (/^Bearer\s/i.test(text)) return 'this request has more than one word after Bearer';
  const [, scheme] = /^(Basic|Digest|Token|ApiKey)\s/i.exec(text) ?? [];
  return scheme === undefined
    ? 'this request has Authorization without the word Bearer'
    : `this request has ${scheme} in place of Bearer`;
}

/** The refusal of a key that is not accepted. */
export function keyRefusalOf(refusal: KeyRefusal): AppError {
  switch (refusal.kind) {
    case 'not_a_key':
      return new AppError('api_key_invalid', 'This is not an API key of this service: those begin with swk_.');
    case 'checksum_mismatch':
      return new AppError('api_key_invalid', 'The API key was mistyped or cut short: its checksum does not fit.');
    case 'invalid':
      return new AppError('api_key_invalid', 'The API key is unknown, revoked or expired.');
    case 'unavailable':
      return new AppError(
        'key_store_unavailable',
        'The store of API keys is not available, and this key was not used recently. Try again soon.',
        { retryAfterSeconds: storeRetrySeconds },
      );
    case 'too_many_unknown_keys': {
      const { retryAfterSeconds } = refusal;
      return new AppError(
        'rate_limited',
        `Too many unknown API keys came from this address, and this one is not known either. Try again in ${retryAfterSeconds} seconds.`,
        { retryAfterSeconds },
      );
    }
  }
}
