import { type KeyStore, KeyStoreError } from '../keys/key-store.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { parseCreateArguments, parseListArguments, parseSelectorArguments } from './keys-arguments.ts';
import { type KeysContext, RefusedError, UsageError } from './keys-context.ts';
import { isKeysCommand, KEYS_COMMAND_HELP, KEYS_HELP, KEYS_USAGE, type KeysCommand } from './keys-help.ts';
import { describeCreated, describeRecord, formatCreated, formatTable } from './keys-output.ts';
import { selectActiveKey } from './keys-select.ts';

const EXIT_OK = 0;
const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

const COMMANDS: Readonly<Record<KeysCommand, (context: KeysContext, args: readonly string[]) => Promise<void>>> = {
  create,
  list,
  revoke,
  rotate,
};

/**
 * Runs the `keys` command: makes, lists, revokes and rotates API keys.
 *
 * Resolves to the exit status: 0 when done, 1 when refused (no such key, an ambiguous name, an expiry that has passed, a
 * store that cannot be opened), 2 for a command line that cannot be understood. With `--json`, standard output gets one
 * line of JSON or nothing. Rejects only on a fault of the store while it is in use.
 */
export async function runKeys(context: KeysContext): Promise<number> {
  const [command, ...args] = context.arguments;
  if (command === '--help' || command === '-h') {
    context.stdout(KEYS_HELP);
    return EXIT_OK;
  }
  if (command === undefined || !isKeysCommand(command)) {
    if (command !== undefined) context.stderr(`Unknown command ${JSON.stringify(command)}.\n\n`);
    context.stderr(KEYS_HELP);
    return EXIT_USAGE;
  }
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout(KEYS_COMMAND_HELP[command]);
    return EXIT_OK;
  }
  try {
    await COMMANDS[command](context, args);
    return EXIT_OK;
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr(`keys ${command}: ${error.message}.\nUsage: ${KEYS_USAGE[command]}\n`);
      return EXIT_USAGE;
    }
    if (error instanceof RefusedError || error instanceof KeyStoreError) {
      context.stderr(`${error.message}\n`);
      return EXIT_REFUSED;
    }
    throw error;
  }
}

async function create(context: KeysContext, args: readonly string[]): Promise<void> {
  const { json, ...input } = parseCreateArguments(args, context.now());
  const created = await withKeyStore(context, (store) => store.create(input));
  context.stdout(json ? `${JSON.stringify(describeCreated(created))}\n` : formatCreated(created));
  if (input.expiresAt === null) {
    context.stderr('Warning: this key never expires. To make one that does, add for example --expires 90d\n');
  }
}

async function list(context: KeysContext, args: readonly string[]): Promise<void> {
  const { json } = parseListArguments(args);
  const records = await withKeyStore(context, (store) => store.list());
  const now = context.now();
  if (json) {
    context.stdout(`${JSON.stringify(records.map((record) => describeRecord(record, now)))}\n`);
  } else if (records.length === 0) {
    context.stdout('There are no keys yet. To make one: npm run keys -- create --name acme\n');
  } else {
    context.stdout(formatTable(records, now));
  }
}

async function revoke(context: KeysContext, args: readonly string[]): Promise<void> {
  const { json, selector } = parseSelectorArguments(args);
  const revoked = await withKeyStore(context, async (store) => {
    const { id } = await selectActiveKey(store, selector, context.now());
    return (await store.revoke(id)) ?? refuseAsOvertaken(id);
  });
  context.stdout(
    json
      ? `${JSON.stringify(describeRecord(revoked, context.now()))}\n`
      : `Revoked ${revoked.id} (${revoked.name}). Running servers refuse it within 5 seconds.\n`,
  );
}

async function rotate(context: KeysContext, args: readonly string[]): Promise<void> {
  const { json, selector } = parseSelectorArguments(args);
  const rotated = await withKeyStore(context, async (store) => {
    const { id } = await selectActiveKey(store, selector, context.now());
    return (await store.rotate(id)) ?? refuseAsOvertaken(id);
  });
  context.stdout(
    json
      ? `${JSON.stringify({ ...describeCreated(rotated), replaces: rotated.replaced.id })}\n`
      : `${formatCreated(rotated)}\nIt replaces ${rotated.replaced.id}, which running servers refuse within 5 seconds.\n`,
  );
}

async function withKeyStore<Result>(context: KeysContext, action: (store: KeyStore) => Promise<Result>) {
  if (context.databaseUrl === 'sqlite::memory:') {
    throw new RefusedError(
      'DATABASE_URL is sqlite::memory:, whose keys no server would see. ' +
        'Name the file that the server uses, such as DATABASE_URL=sqlite:.splwright/keys.db',
    );
  }
  const store = await openKeyStore(context.databaseUrl, { now: context.now });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

function refuseAsOvertaken(id: string): never {
  throw new RefusedError(`Key ${id} was stopped by somebody else just now. To see all keys: npm run keys -- list`);
}
