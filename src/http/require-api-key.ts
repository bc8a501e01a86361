import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { LimitedKey } from '../limits/rate-limiter.ts';

/**
 * Checks the `Authorization` header, and says whose it is.
 *
 * Throws an `AppError` of status 401, which never repeats the header.
 */
export async function requireApiKey(
  authenticator: Authenticator,
  header: string | undefined,
  remoteAddress: string | undefined,
): Promise<LimitedKey> {
  const key = header === undefined ? undefined : /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (key === undefined) {
    throw new AppError('api_key_missing', 'Send the header Authorization: Bearer <API key>; this request has none.');
  }
  switch (await authenticator.authenticate(key, remoteAddress)) {
    case 'valid':
      return { id: createHash('sha256').update(key).digest('hex'), rateLimitPerMinute: null };
    case 'not_a_key':
      throw new AppError('api_key_invalid', 'This is not an API key of this service: those begin with swk_.');
    case 'checksum_mismatch':
      throw new AppError('api_key_invalid', 'The API key was mistyped or cut short: its checksum does not fit.');
    case 'invalid':
      throw new AppError('api_key_invalid', 'The API key is unknown, revoked or expired.');
  }
}
