import { hash } from 'node:crypto';
import { holdsApiKey } from '../app/api-key.ts';
import { AppError } from '../problems.ts';

/** Visible ASCII without spaces: the joined text of two headers has a space, and is refused. */
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

/** A parsed JSON body, as requests with an `Idempotency-Key` know it. */
export interface HashedBody {
  /** SHA-256, lower-case hex. */
  bodyHash: string;
  /** Of the text that is hashed; about as many as were sent. */
  bodyBytes: number;
}

/**
 * Returns the hash of a parsed JSON body, by which a retry is recognized.
 *
 * Bodies that differ in white space, in the order of members, in how a text or a number is written or in members that are null have the
 * same one.
 */
export function hashBody(body: unknown): HashedBody {
  const text = canonicalText(body);
  return { bodyHash: hash('sha256', text, 'hex'), bodyBytes: Buffer.byteLength(text) };
}

// Written here and not by `JSON.stringify` of a sorted copy: a copy would lose a member named `__proto__`.
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = sortedEntries(value).map(([name, member]) => memberText(name, canonicalText(member)));
  return `{${members.join()}}`;
}

function sortedEntries(value: object): [string, unknown][] {
  // By code units, which is the same in every locale.
  return Object.entries(value)
    .filter(([, member]) => member !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function memberText(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}
