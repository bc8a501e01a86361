import { hash } from 'node:crypto';

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
 * Bodies that differ in white space, in the order of members or in how a text or a number is written have the same one.
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
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function memberText(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}
