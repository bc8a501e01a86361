import { randomUUID } from 'node:crypto';
import { maskApiKeys } from '../keys/mask-api-keys.ts';

/**
 * Returns the id that the caller gave a request in `X-Request-Id`, otherwise a new UUID.
 *
 * Ids end up in logs and headers, so only one of up to 128 plain characters that holds no API key is taken over.
 */
export function requestIdOf(header: string | string[] | undefined): string {
  const isPlain = typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header);
  return isPlain && maskApiKeys(header) === header ? header : randomUUID();
}
