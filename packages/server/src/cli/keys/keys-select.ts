import { checkApiKeyFormat, hashApiKey, shownPrefixOf } from '../../app/api-key.ts';
import { ownCommand } from '../../app/own-command.ts';
import { type ApiKeyRecord, apiKeyStatus, type KeyChangeQuery } from '../../keys/api-key-record.ts';
import type { KeyRecords } from '../../keys/records/key-records.ts';
import { type CommandContext, RefusedError, UsageError } from '../command.ts';
import type { KeyOptions } from './keys-arguments.ts';

/** The key of a command: the text, and whether it is only an id, only a name, or either. */
export interface KeySelector {
  by: 'id' | 'name' | 'id or name';
  text: string;
}

const missing = 'the id or name of the key is missing, or - to read it, or the key itself, from standard input';

/**
 * Returns the key of a command: the one on the command line, or the line on standard input.
 *
 * Standard input is read for `-`, and without a key when it is not a terminal; with `all`, no key means every one. Warns of a whole
 * key among the arguments. Throws a `UsageError` when there is no key, or more than one.
 */
export async function readSelector(
  context: CommandContext,
  text: string | undefined,
  options: KeyOptions,
): Promise<KeySelector>;
export async function readSelector(
  context: CommandContext,
  text: string | undefined,
  options: KeyOptions,
  without: 'all',
): Promise<KeySelector | undefined>;
export async function readSelector(
  { input, stderr }: CommandContext,
  text: string | undefined,
  { id, name }: KeyOptions,
  without?: 'all',
): Promise<KeySelector | undefined> {
  if (text !== undefined && (id ?? name) !== undefined) throw new UsageError('give one id or name only');
  const given = text ?? id ?? name;
  if (given !== undefined && text !== '-') {
    if (checkApiKeyFormat(given) === 'ok') {
      stderr(
        'Warning: a whole key was given as an argument, which the history of the shell and the logs of npm keep. ' +
          'Give it on standard input instead, with - as the argument.\n',
      );
    }
    return { by: text !== undefined ? 'id or name' : id !== undefined ? 'id' : 'name', text: given };
  }
  if (given === undefined && without === 'all') return undefined;
  const line = given === undefined && input.isTerminal ? '' : (await input.read()).trim();
  if (line === '') throw new UsageError(missing);
  if (/[\r\n]/.test(line)) throw new UsageError('standard input must hold one key, id or name, in one line');
  return { by: 'id or name', text: line };
}

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
  const meant = active.length > 0 ? active : candidates;
  const [key, ...others] = meant;
  if (key === undefined || others.length > 0) {
    const lines = meant.map(
      ({ id, name, prefix, createdAt }) => `  ${id}  ${name}  ${prefix}…  created ${createdAt.toISOString()}`,
    );
    throw new RefusedError(
      `${shown(selector)} means ${meant.length} ${active.length > 0 ? 'active keys' : 'keys'}; say which one with --id:\n` +
        lines.join('\n'),
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
  if (eligible === 'any') return true;
  return eligible === 'active' ? apiKeyStatus(record, now) === 'active' : record.revokedAt === null;
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
    ? `Key ${newest.id} (${newest.name}) ${end}: it is no longer accepted.`
    : `All ${matches.length} keys called ${shown(selector)} are revoked or expired; the newest, ${newest.id}, ${end}.`;
}

function shown({ text }: KeySelector): string {
  return JSON.stringify(checkApiKeyFormat(text) === 'ok' ? `${shownPrefixOf(text)}…` : text);
}
