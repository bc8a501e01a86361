import { AppError } from '../errors.ts';
import { holdsApiKey } from '../keys/mask-api-keys.ts';

/** Every character that is visible in ASCII: a space is none, so the joined text of two headers is refused. */
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key of an `Idempotency-Key` header; `undefined` without the header.
 *
 * One pair of quotes around it does not belong to it: draft-ietf-httpapi-idempotency-key-header-07 sends a quoted string, and
 * most clients send the bare text. Throws an `AppError` of status 400, which does not repeat the key.
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (!visibleAscii.test(key)) {
    throw new AppError(
      'invalid_idempotency_key',
      'Send one Idempotency-Key header of 1 to 255 visible ASCII characters, without spaces, such as a UUID.',
    );
  }
  if (holdsApiKey(key)) {
    throw new AppError(
      'invalid_idempotency_key',
      'The Idempotency-Key has an API key in it, which would be stored. Send a text that is no secret, such as a UUID.',
    );
  }
  return key;
}
