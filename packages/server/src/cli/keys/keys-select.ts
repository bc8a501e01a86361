import { checkApiKeyFormat, hashApiKey, shownPrefixOf } from '../../app/api-key.ts';
import { ownCommand } from '../../app/own-command.ts';
import { type ApiKeyRecord, apiKeyStatus, type KeyChangeQuery } from '../../keys/api-key-record.ts';
import type { KeyRecords } from '../../keys/records/key-records.ts';
import { RefusedError } from '../command-errors.ts';
import type { KeySelector } from './keys-arguments.ts';
import { formatRecord } from './keys-output.ts';

/** The keys that a command accepts. */
type Eligible = 'active' | 'not revoked' | 'any';

/**
 * Finds the one selected key: of the keys with this id, name or text the only eligible one, or else the only active one.
 *
 * Throws a `RefusedError` when there is none, or more than one; in the last case it lists their ids.
 */
export async function selectKey(
  store: KeyRecords,
  selector: KeySelector,
  now: Date,
  eligible: Eligible,
): Promise<ApiKeyRecord> {
  const matches = await findKeys(store, selector);
  const candidates = matches.filter((record) => isEligible(record, eligible, now));
  if (candidates.length === 0) throw new RefusedError(explainNone(matches, selector));
  const active = candidates.filter((record) => apiKeyStatus(record, now) === 'active');
  const [key, ...others] = active.length > 0 ? active : candidates;
  if (key === undefined || others.length > 0) {
    const kind = active.length > 0 ? 'active keys' : 'keys';
    throw new RefusedError(
      `${shown(selector)} means ${others.length + 1} ${kind}; say which one with --id:\n` +
        (active.length > 0 ? active : candidates).map((record) => `  ${formatRecord(record)}`).join('\n'),
    );
  }
  return key;
}

/** Finds all selected keys, the oldest first. Throws a `RefusedError` when there is none. */
export async function selectKeys(store: KeyRecords, selector: KeySelector): Promise<readonly ApiKeyRecord[]> {
  const matches = await findKeys(store, selector);
  if (matches.length === 0) throw new RefusedError(explainNone(matches, selector));
  return matches;
}

/** Finds all selected keys, the oldest first; none when there is none. */
export async function findKeys(store: KeyRecords, { by, text }: KeySelector): Promise<readonly ApiKeyRecord[]> {
  // The text of the key itself: of a leaked key nothing else may be known.
  if (checkApiKeyFormat(text) === 'ok') return [...(await store.findByHashes([hashApiKey(text)])).values()];
  const matches = await store.find(text);
  return matches.filter((record) => (by !== 'name' && record.id === text) || (by !== 'id' && record.name === text));
}

/** Finds the other active keys that have the name of a key. */
export async function findNamesakes(store: KeyRecords, key: ApiKeyRecord, now: Date): Promise<readonly ApiKeyRecord[]> {
  const matches = await store.find(key.name);
  return matches
    .filter(({ id, name }) => name === key.name && id !== key.id)
    .filter((each) => isEligible(each, 'active', now));
}

/** Returns which changes a selector means, of which these keys were found: theirs, and those of keys that had the name then. */
export function changesOf(
  { by, text }: KeySelector,
  keys: readonly ApiKeyRecord[],
): Pick<KeyChangeQuery, 'keyIds' | 'name'> {
  // The text of a key is no name, and must not reach the log of a database.
  const isName = by !== 'id' && checkApiKeyFormat(text) !== 'ok';
  return { keyIds: keys.map(({ id }) => id), ...(isName && { name: text }) };
}

function isEligible(record: ApiKeyRecord, eligible: Eligible, now: Date): boolean {
  switch (eligible) {
    case 'active':
      return apiKeyStatus(record, now) === 'active';
    case 'not revoked':
      return record.revokedAt === null;
    case 'any':
      return true;
  }
}

function explainNone(matches: readonly ApiKeyRecord[], selector: KeySelector): string {
  const newest = matches.at(-1);
  if (newest === undefined) {
    return `No key has the ${selector.by} ${shown(selector)}. To see all keys: ${ownCommand('keys', 'list')}`;
  }
  const end =
    newest.revokedAt === null
      ? `expired at ${newest.expiresAt?.toISOString()}`
      : `was revoked at ${newest.revokedAt.toISOString()}`;
  return matches.length === 1
    ? `Key ${newest.id} (${newest.name}) ${end}: it is not accepted any more.`
    : `All ${matches.length} keys called ${shown(selector)} are revoked or expired; the newest, ${newest.id}, ${end}.`;
}

function shown({ text }: KeySelector): string {
  return JSON.stringify(checkApiKeyFormat(text) === 'ok' ? `${shownPrefixOf(text)}…` : text);
}
