import { checkApiKeyFormat } from '../../app/api-key.ts';
import { ownCommand } from '../../app/own-command.ts';
import { type ApiKeyRecord, apiKeyStatus, type CreatedApiKey } from '../../keys/api-key-record.ts';
import { utcDayOf } from '../../keys/usage/daily-amounts.ts';
import { saveEveryMs } from '../../keys/usage/usage-recorder.ts';
import { openKeyStore } from '../../serve/store/open-key-store.ts';
import type { Store } from '../../serve/store/store.ts';
import { KeyStoreError, storeFaultOf } from '../../store/store-faults.ts';
import { RefusedError, UsageError } from '../command-errors.ts';
import {
  type ChangeOptions,
  type CreateOptions,
  findSelector,
  type HistoryOptions,
  type JsonOption,
  type KeySelector,
  type RotateOptions,
  readChanges,
  readCount,
  readOverlapMs,
  readSettings,
  type SelectorOptions,
  type UpdateOptions,
  type UsageOptions,
} from './keys-arguments.ts';
import type { KeysContext } from './keys-context.ts';
import { changeAmountLimits, limitWarnings } from './keys-limits.ts';
import {
  describeChange,
  describeCreated,
  describeRecord,
  firstDayOf,
  formatChanges,
  formatCreated,
  formatDetails,
  formatKeyTable,
  formatUsage,
  summarizeUsage,
} from './keys-output.ts';
import { changesOf, findKeys, findNamesakes, selectKey, selectKeys } from './keys-select.ts';

/** Creates an API key. Like all of these it throws a `UsageError`, a `RefusedError` or a `KeyStoreError`. */
export async function create(context: KeysContext, options: CreateOptions): Promise<void> {
  const settings = readSettings(options, context.now());
  const { created, namesakes } = await withKeyStore(context, async (store) => {
    const created = await store.create(settings);
    return { created, namesakes: await findNamesakes(store, created.record, context.now()) };
  });
  print(context, options.json && describeCreated(created), () => formatCreated(created));
  warnOfNamesakes(context, created, namesakes);
  warnIfEndless(context, created);
  warnOfLimits(context, created);
}

/** Lists all keys. */
export async function list(context: KeysContext, { json }: JsonOption): Promise<void> {
  const records = await withKeyStore(context, (store) => store.list());
  const now = context.now();
  print(context, json && records.map((record) => describeRecord(record, now)), () =>
    records.length === 0
      ? `There are no keys yet. To make one: ${ownCommand('keys', 'create --name acme')}\n`
      : formatKeyTable(records, now),
  );
}

/** Shows a key. */
export async function show(context: KeysContext, key: string | undefined, options: SelectorOptions): Promise<void> {
  const selector = await readSelector(context, key, options);
  const now = context.now();
  const { record, builtToday } = await withKeyStore(context, async (store) => {
    const record = await selectKey(store, selector, now, 'any');
    return { record, builtToday: await store.findDailyAmounts(record.id, utcDayOf(now.getTime())) };
  });
  print(context, options.json && describeRecord(record, now, builtToday), () => formatDetails(record, now, builtToday));
}

/** Changes the settings of a key. */
export async function update(context: KeysContext, key: string | undefined, options: UpdateOptions): Promise<void> {
  const { settings, restrictions, amounts } = readChanges(options, context.now());
  const selector = await readSelector(context, key, options);
  const { record: updated, namesakes } = await withKeyStore(context, async (store) => {
    const { id, restrictions: before } = await selectKey(store, selector, context.now(), 'not revoked');
    const changed = { ...before, ...restrictions, amounts: changeAmountLimits(before.amounts, amounts) };
    const changes = { ...settings, restrictions: changed };
    const record = (await store.update(id, changes)) ?? refuseAsOvertaken(id);
    return { record, namesakes: settings.name === undefined ? [] : await findNamesakes(store, record, context.now()) };
  });
  const now = context.now();
  print(
    context,
    options.json && describeRecord(updated, now),
    () => `${formatDetails(updated, now)}\n${followLine('follow')}`,
  );
  warnOfNamesakes(context, { record: updated }, namesakes);
  if (settings.expiresAt === null) warnIfEndless(context, { record: updated });
  warnOfLimits(context, { record: updated });
}

/** Revokes a key. */
export async function revoke(context: KeysContext, key: string | undefined, options: ChangeOptions): Promise<void> {
  const { closeLinks: closesLinks = false, json } = options;
  const selector = await readSelector(context, key, options);
  const revoked = await withKeyStore(context, async (store) => {
    const { id } = await selectKey(store, selector, context.now(), 'active');
    return (await store.revoke(id, { closesLinks })) ?? refuseAsOvertaken(id);
  });
  const { closedLinks } = revoked;
  print(
    context,
    json && { ...describeRecord(revoked, context.now()), ...(closesLinks && { closed_links: closedLinks }) },
    () =>
      `Revoked ${revoked.id} (${revoked.name}). ${followLine('refuse it')}` +
      (closesLinks ? closedLine(closedLinks) : ''),
  );
}

/** Replaces a key by a new one. */
export async function rotate(context: KeysContext, key: string | undefined, options: RotateOptions): Promise<void> {
  const { closeLinks: closesLinks = false, json } = options;
  const overlapMs = readOverlapMs(options);
  const selector = await readSelector(context, key, options);
  const rotated = await withKeyStore(context, async (store) => {
    const { id } = await selectKey(store, selector, context.now(), 'active');
    return (await store.rotate(id, overlapMs, { closesLinks })) ?? refuseAsOvertaken(id);
  });
  const { replaced, closedLinks } = rotated;
  const end = replaced.revokedAt ? undefined : replaced.expiresAt?.toISOString();
  print(
    context,
    json && {
      ...describeCreated(rotated),
      replaces: replaced.id,
      ...(end && { replaced_expires_at: end }),
      ...(closesLinks && { closed_links: closedLinks }),
    },
    () =>
      `${formatCreated(rotated)}\nIt replaces ${replaced.id}, which ` +
      (end ? `works until ${end}.\n` : 'running servers refuse within 5 seconds.\n') +
      (closesLinks ? closedLine(closedLinks) : ''),
  );
  warnIfEndless(context, rotated);
}

/** Shows what keys were used for. */
export async function usage(context: KeysContext, key: string | undefined, options: UsageOptions): Promise<void> {
  const days = readCount('--days', options.days, 9999);
  const selector = findSelector(key, options) && (await readSelector(context, key, options));
  const use = await withKeyStore(context, async (store) => {
    const keys = selector ? await selectKeys(store, selector) : await store.list();
    const all = await store.listUsage(firstDayOf(days, context.now()));
    const ids = new Set(keys.map(({ id }) => id));
    return summarizeUsage(selector ? all.filter(({ keyId }) => ids.has(keyId)) : all, keys);
  });
  const counted = new Date(context.now().getTime() - saveEveryMs).toISOString();
  const none = `No request with these keys was counted in ${days === 1 ? 'a day' : `${days} days`}.\n`;
  print(
    context,
    options.json && use,
    () =>
      `${use.length === 0 ? none : formatUsage(use)}Counted until ${counted}: a running service adds what is newer within ` +
      `${saveEveryMs / 1000} seconds.\n`,
  );
}

/** Shows the changes of keys. */
export async function history(context: KeysContext, key: string | undefined, options: HistoryOptions): Promise<void> {
  const limit = readCount('--limit', options.limit, 999_999);
  const selector = findSelector(key, options) && (await readSelector(context, key, options));
  const changes = await withKeyStore(context, async (store) => {
    const changes = await store.listChanges({
      ...(selector && changesOf(selector, await findKeys(store, selector))),
      limit,
    });
    // A key that was renamed is found by its old name, too.
    if (selector && changes.length === 0) await selectKeys(store, selector);
    return changes;
  });
  print(context, options.json && changes.map(describeChange), () =>
    changes.length === 0 ? 'No changes are recorded.\n' : formatChanges(changes),
  );
}

function print(context: KeysContext, json: object | false | undefined, toText: () => string): void {
  context.stdout(json ? `${JSON.stringify(json)}\n` : toText());
}

function followLine(what: string): string {
  return `Running servers ${what} within 5 seconds.\n`;
}

function closedLine(count: number): string {
  return `Canceled ${count} open payment ${count === 1 ? 'link' : 'links'} that it made.\n`;
}

function warnIfEndless(context: KeysContext, { record }: Pick<CreatedApiKey, 'record'>): void {
  if (record.expiresAt !== null || !isActive(record, context)) return;
  context.stderr('Warning: this key never expires. To make one that does, add for example --expires 90d\n');
}

function warnOfNamesakes(
  context: KeysContext,
  { record }: Pick<CreatedApiKey, 'record'>,
  namesakes: readonly ApiKeyRecord[],
): void {
  const [other, ...more] = namesakes;
  if (other === undefined) return;
  const others = more.length === 0 ? `Key ${other.id} is` : `${more.length + 1} other active keys are`;
  context.stderr(
    `Warning: ${others} called ${JSON.stringify(record.name)} too. Name this one by its id: --id ${record.id}\n`,
  );
}

function warnOfLimits(context: KeysContext, { record }: Pick<CreatedApiKey, 'record'>): void {
  for (const doubt of limitWarnings(record.restrictions)) context.stderr(`Warning: ${doubt}\n`);
}

function isActive(record: ApiKeyRecord, context: KeysContext): boolean {
  return apiKeyStatus(record, context.now()) === 'active';
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
  const isKnown = error instanceof RefusedError || error instanceof KeyStoreError;
  if (isKnown || error instanceof TypeError || error instanceof RangeError) return error;
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

/**
 * Returns the key of a command: the one on the command line, or the line on standard input.
 *
 * Standard input is read for `-`, and without a key when it is not a terminal. Warns of a whole key among the arguments, which
 * the shell and npm write down. Throws a `UsageError` when there is no key, or more than one line.
 */
async function readSelector(
  context: KeysContext,
  argument: string | undefined,
  options: SelectorOptions,
): Promise<KeySelector> {
  const selector = findSelector(argument, options);
  if (selector !== undefined && !(selector.by === 'id or name' && selector.text === '-')) {
    if (checkApiKeyFormat(selector.text) === 'ok') context.stderr(keyInArguments);
    return selector;
  }
  if (selector === undefined && context.input.isTerminal) throw new UsageError(missing);
  const text = (await context.input.read()).trim();
  if (text === '') throw new UsageError(missing);
  if (/[\r\n]/.test(text)) throw new UsageError('standard input must hold one key, id or name, in one line');
  return { by: 'id or name', text };
}

const missing = 'the id or name of the key is missing, or - to read it, or the key itself, from standard input';
const keyInArguments =
  'Warning: a whole key was given as an argument, which the history of the shell and the logs of npm keep. ' +
  'Give it on standard input instead, with - as the argument.\n';
