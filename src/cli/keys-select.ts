import { type ApiKeyRecord, apiKeyStatus, type KeyStore } from '../keys/key-store.ts';
import type { KeySelector } from './keys-arguments.ts';
import { RefusedError } from './keys-context.ts';
import { formatRecord } from './keys-output.ts';

/**
 * Finds the one active key that is meant.
 *
 * Throws a `RefusedError` when no key, no active key, or more than one active key has this id or name; in the last case
 * it lists their ids.
 */
export async function selectActiveKey(store: KeyStore, selector: KeySelector, now: Date): Promise<ApiKeyRecord> {
  const matches = (await store.find(selector.text)).filter((record) => isMeant(record, selector));
  const [key, ...others] = matches.filter((record) => apiKeyStatus(record, now) === 'active');
  if (key === undefined) throw new RefusedError(explainNoActiveKey(matches, selector));
  if (others.length > 0) {
    throw new RefusedError(
      `${JSON.stringify(selector.text)} means ${others.length + 1} active keys; say which one with --id:\n` +
        [key, ...others].map((record) => `  ${formatRecord(record)}`).join('\n'),
    );
  }
  return key;
}

function isMeant(record: ApiKeyRecord, { by, text }: KeySelector): boolean {
  return (by !== 'name' && record.id === text) || (by !== 'id' && record.name === text);
}

function explainNoActiveKey(matches: readonly ApiKeyRecord[], { by, text }: KeySelector): string {
  const newest = matches.at(-1);
  if (newest === undefined) {
    return `No key has the ${by} ${JSON.stringify(text)}. To see all keys: npm run keys -- list`;
  }
  const end =
    newest.revokedAt === null
      ? `expired at ${newest.expiresAt?.toISOString()}`
      : `was revoked at ${newest.revokedAt.toISOString()}`;
  return matches.length === 1
    ? `Key ${newest.id} (${newest.name}) ${end}: it is not accepted any more.`
    : `All ${matches.length} keys called ${JSON.stringify(text)} are revoked or expired; the newest, ${newest.id}, ${end}.`;
}
