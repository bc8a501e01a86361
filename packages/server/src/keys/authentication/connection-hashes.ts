import { hashApiKey } from '../api-key.ts';

/**
 * Remembers the hash of the key that each connection brought last: to make it takes longer than all else that checks a key.
 *
 * The text is kept no longer than its connection.
 */
export class ConnectionHashes {
  readonly #last = new WeakMap<object, { key: string; hash: string }>();

  /** Returns the hash of a key that a connection brings. */
  of(key: string, connection: object): string {
    const last = this.#last.get(connection);
    if (last && isSameText(last.key, key)) return last.hash;
    const hash = hashApiKey(key);
    this.#last.set(connection, { key, hash });
    return hash;
  }
}

// Every character is looked at: a connection of a proxy brings the keys of many, and time must not tell one how its own
// begins like another's.
function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
