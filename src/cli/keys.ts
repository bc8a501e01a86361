import { KeyStoreError } from '../keys/key-store.ts';
import { maskApiKeys } from '../keys/mask-api-keys.ts';
import { keysCommands } from './keys-commands.ts';
import { type KeysContext, RefusedError, UsageError } from './keys-context.ts';
import { isKeysCommand, KEYS_COMMAND_HELP, KEYS_HELP, KEYS_USAGE } from './keys-help.ts';

const EXIT_OK = 0;
const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/**
 * Runs the `keys` command: makes, lists, shows, changes, revokes and rotates API keys, and says what they were used for.
 *
 * Resolves to the exit status: 0 when done, 1 when refused (no such key, an ambiguous name, an expiry that has passed, a
 * store that cannot be opened), 2 for a command line that cannot be understood. With `--json`, standard output gets one
 * line of JSON or nothing. Rejects only on a fault of the store while it is in use.
 */
export async function runKeys(given: KeysContext): Promise<number> {
  // Of a key that somebody put on the command line no more is repeated than may be shown of it.
  const context: KeysContext = { ...given, stderr: (text) => given.stderr(maskApiKeys(text)) };
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
    await keysCommands[command](context, args);
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
