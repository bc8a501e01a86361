import { ownCommand } from '../../app/own-command.ts';
import { type ApiKeyRecord, apiKeyStatus } from '../../keys/api-key-record.ts';
import { unrestricted } from '../../keys/authenticated-key.ts';
import { describeCreated, describeRecord, describeRevoked, describeRotated } from '../../keys/describe-key.ts';
import { settingsAfter } from '../../keys/key-options.ts';
import { utcDayOf } from '../../keys/usage/daily-amounts.ts';
import { saveEveryMs } from '../../keys/usage/usage-recorder.ts';
import { openKeyStore } from '../../serve/store/open-key-store.ts';
import type { Store } from '../../serve/store/store.ts';
import { KeyStoreError, storeFaultOf } from '../../store/store-faults.ts';
import { type CommandContext, RefusedError, UsageError } from '../command.ts';
import { type CreateOptions, type KeyOptions, refusedAs } from './keys-arguments.ts';
import {
  describeChange,
  firstDayOf,
  formatChanges,
  formatCreated,
  formatDetails,
  formatKeyTable,
  formatUsage,
  limitWarnings,
  summarizeUsage,
} from './keys-output.ts';
import { changesOf, findKeys, findNamesakes, readSelector, selectKey, selectKeys } from './keys-select.ts';

/** The input and output of a `keys` command. */
export interface KeysContext extends CommandContext {
  databaseUrl: string;
}

/** The output of a command: its result as JSON or as text, and sentences about what the operator may not have intended. */
export interface Result {
  json: object;
  text: string;
  warnings?: readonly string[];
}

/** Creates an API key. Like all of these it throws a `UsageError`, a `RefusedError` or a `KeyStoreError`. */
export async function create(context: KeysContext, options: CreateOptions): Promise<Result> {
  const settings = refusedAs(RefusedError, () => settingsAfter(unrestricted, options, context.now()));
  const { created, namesakes } = await withKeyStore(context, async (store) => {
    const created = await store.create({ expiresAt: null, ...settings, name: options.name });
    return { created, namesakes: await findNamesakes(store, created.record, context.now()) };
  });
  const { record } = created;
  const warnings = [...namesakeWarnings(record, namesakes), ...endlessWarnings(context, record)];
  return {
    json: describeCreated(created),
    text: formatCreated(created),
    warnings: [...warnings, ...limitWarnings(record.restrictions)],
  };
}

/** Lists all keys. */
export async function list(context: KeysContext): Promise<Result> {
  const records = await withKeyStore(context, (store) => store.list());
  const now = context.now();
  const none = `There are no keys yet. To make one: ${ownCommand('keys', 'create --name acme')}\n`;
  return {
    json: records.map((record) => describeRecord(record, now)),
    text: records.length === 0 ? none : formatKeyTable(records, now),
  };
}

/** Shows a key. */
export async function show(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const selector = await readSelector(context, key, options);
  const now = context.now();
  const { record, builtToday } = await withKeyStore(context, async (store) => {
    const record = await selectKey(store, selector, now, 'any');
    return { record, builtToday: await store.findDailyAmounts(record.id, utcDayOf(now.getTime())) };
  });
  return { json: describeRecord(record, now, builtToday), text: formatDetails(record, now, builtToday) };
}

/** Changes the settings of a key. */
export async function update(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const { id: _id, name: _name, json: _json, ...changed } = options;
  if (Object.keys(changed).length === 0) {
    throw new UsageError('there is nothing to change: say what, for example --expires 90d');
  }
  const { newName, expires } = changed;
  const selector = await readSelector(context, key, options);
  const { record, namesakes } = await withKeyStore(context, async (store) => {
    const { id } = await selectKey(store, selector, context.now(), 'not revoked');
    const options = { ...changed, name: newName };
    const change = ({ restrictions }: ApiKeyRecord) =>
      refusedAs(RefusedError, () => settingsAfter(restrictions, options, context.now()));
    const record = (await store.update(id, change)) ?? refuseAsOvertaken(id);
    return { record, namesakes: newName === undefined ? [] : await findNamesakes(store, record, context.now()) };
  });
  const now = context.now();
  const warnings = [
    ...namesakeWarnings(record, namesakes),
    ...(expires === 'never' ? endlessWarnings(context, record) : []),
  ];
  return {
    json: describeRecord(record, now),
    text: `${formatDetails(record, now)}\n${followLine('follow')}`,
    warnings: [...warnings, ...limitWarnings(record.restrictions)],
  };
}

/** Revokes a key. */
export async function revoke(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const { closeLinks: closesLinks = false } = options;
  const selector = await readSelector(context, key, options);
  const revoked = await withKeyStore(context, async (store) => {
    const { id } = await selectKey(store, selector, context.now(), 'active');
    return (await store.revoke(id, { closesLinks })) ?? refuseAsOvertaken(id);
  });
  const { id, name, closedLinks } = revoked;
  return {
    json: describeRevoked(revoked, closesLinks, context.now()),
    text: `Revoked ${id} (${name}). ${followLine('refuse it')}${closesLinks ? closedLine(closedLinks) : ''}`,
  };
}

/** Replaces a key by a new one. */
export async function rotate(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const { closeLinks: closesLinks = false, overlap = 0 } = options;
  const selector = await readSelector(context, key, options);
  const rotated = await withKeyStore(context, async (store) => {
    const { id } = await selectKey(store, selector, context.now(), 'active');
    return (await store.rotate(id, overlap, { closesLinks })) ?? refuseAsOvertaken(id);
  });
  const { replaced, closedLinks } = rotated;
  const end = replaced.revokedAt ? undefined : replaced.expiresAt?.toISOString();
  return {
    json: describeRotated(rotated, closesLinks),
    text:
      `${formatCreated(rotated)}\nIt replaces ${replaced.id}, which ` +
      (end ? `works until ${end}.\n` : 'running servers refuse within 5 seconds.\n') +
      (closesLinks ? closedLine(closedLinks) : ''),
    warnings: endlessWarnings(context, rotated.record),
  };
}

/** Shows what keys were used for. */
export async function usage(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const { days = 30 } = options;
  const selector = await readSelector(context, key, options, 'all');
  const use = await withKeyStore(context, async (store) => {
    const keys = selector ? await selectKeys(store, selector) : await store.list();
    const all = await store.listUsage(firstDayOf(days, context.now()));
    const ids = new Set(keys.map(({ id }) => id));
    return summarizeUsage(selector ? all.filter(({ keyId }) => ids.has(keyId)) : all, keys);
  });
  const counted = new Date(context.now().getTime() - saveEveryMs).toISOString();
  const none = `No request with these keys was counted in ${days === 1 ? 'a day' : `${days} days`}.\n`;
  return {
    json: { counted_until: counted, usage: use },
    text:
      `${use.length === 0 ? none : formatUsage(use)}Counted until ${counted}: a running service adds what is newer within ` +
      `${saveEveryMs / 1000} seconds.\n`,
  };
}

/** Shows the changes of keys. */
export async function history(context: KeysContext, key: string | undefined, options: KeyOptions): Promise<Result> {
  const { limit = 100 } = options;
  const selector = await readSelector(context, key, options, 'all');
  const changes = await withKeyStore(context, async (store) => {
    const query = selector ? changesOf(selector, await findKeys(store, selector)) : {};
    const changes = await store.listChanges({ ...query, limit });
    // A key that was renamed is found by its old name, too.
    if (selector && changes.length === 0) await selectKeys(store, selector);
    return changes;
  });
  return {
    json: changes.map(describeChange),
    text: changes.length === 0 ? 'No changes are recorded.\n' : formatChanges(changes),
  };
}

function followLine(what: string): string {
  return `Running servers ${what} within 5 seconds.\n`;
}

function closedLine(count: number): string {
  return `Canceled ${count} open payment ${count === 1 ? 'link' : 'links'} that it made.\n`;
}

function endlessWarnings(context: KeysContext, record: ApiKeyRecord): readonly string[] {
  if (record.expiresAt !== null || apiKeyStatus(record, context.now()) !== 'active') return [];
  return ['this key never expires. To make one that does, add for example --expires 90d'];
}

function namesakeWarnings({ id, name }: ApiKeyRecord, namesakes: readonly ApiKeyRecord[]): readonly string[] {
  const [other, ...more] = namesakes;
  if (other === undefined) return [];
  const others = more.length === 0 ? `Key ${other.id} is` : `${more.length + 1} other active keys are`;
  return [`${others} called ${JSON.stringify(name)} too. Name this one by its id: --id ${id}`];
}

async function withKeyStore<Result>(context: KeysContext, action: (store: Store) => Promise<Result>) {
  if (context.databaseUrl === 'sqlite::memory:') {
    throw new RefusedError(
      'DATABASE_URL is sqlite::memory:, whose keys no server would see. ' +
        'Name the file that the server uses, such as DATABASE_URL=sqlite:.splwright/keys.db',
    );
  }
  const store = await openKeyStore(context.databaseUrl, { now: context.now, author: context.author });
  try {
    return await action(store);
  } catch (error) {
    throw explainFault(error);
  } finally {
    // The command has succeeded, so its result must be shown.
    await store.close().catch(() => undefined);
  }
}

/** Returns a failure of the database as a `KeyStoreError`, so that no stack is printed; any other error as it is. */
function explainFault(error: unknown): unknown {
  const isKnown = [RefusedError, UsageError, KeyStoreError, TypeError, RangeError].some(
    (kind) => error instanceof kind,
  );
  if (isKnown) return error;
  return new KeyStoreError(
    `DATABASE_URL: the database failed: ${storeFaultOf(error)}. To see whether anything was done: ${ownCommand('keys', 'list')}`,
    { cause: error },
  );
}

function refuseAsOvertaken(id: string): never {
  throw new RefusedError(
    `Key ${id} was revoked by another command in the meantime. To see all keys: ${ownCommand('keys', 'list')}`,
  );
}
