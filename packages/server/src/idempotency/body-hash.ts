import { hash } from 'node:crypto';

/**
 * Returns the SHA-256 (lower-case hex) of a parsed JSON body, by which a retry is recognized.
 *
 * Bodies that differ in white space, in the order of members or in how a text or a number is written have the same one.
 */
export function hashBody(body: unknown): string {
  return hash('sha256', canonicalText(body), 'hex');
}

// Written here and not by `JSON.stringify` of a sorted copy: a copy would lose a member named `__proto__`.
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    // By code units, which is the same in every locale.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`);
  return `{${members.join()}}`;
}
