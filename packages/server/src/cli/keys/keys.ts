import { maskApiKeys } from '../../app/api-key.ts';
import { KeyStoreError } from '../../store/store-faults.ts';
import { RefusedError, UsageError, usageSentence } from '../parse-arguments.ts';
import { keysCommands } from './keys-commands.ts';
import type { KeysContext } from './keys-context.ts';
import { isKeysCommand, keysCommandHelp, keysHelp, keysUsage } from './keys-help.ts';

const exitOk = 0;
const exitRefused = 1;
const exitUsage = 2;

/**
 * Runs the `keys` command: creates, lists, shows, changes, revokes and rotates API keys, and reports their usage and
 * their history.
 *
 * Resolves with the exit status: 0 when done, 1 when refused (no such key, an ambiguous name, an expiry that has passed, a
 * store that cannot be opened or fails), 2 for a command line that is not understood. With `--json`, standard output gets one
 * line of JSON or nothing. Rejects only on a bug.
 */
export async function runKeys(given: KeysContext): Promise<number> {
  // A key that was put on the command line is masked in every message.
  const context: KeysContext = { ...given, stderr: (text) => given.stderr(maskApiKeys(text)) };
  const [command, ...args] = context.arguments;
  if (command === '--help' || command === '-h') {
    context.stdout(keysHelp);
    return exitOk;
  }
  if (command === undefined || !isKeysCommand(command)) {
    if (command !== undefined) context.stderr(`Unknown command ${JSON.stringify(command)}.\n\n`);
    context.stderr(keysHelp);
    return exitUsage;
  }
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout(keysCommandHelp[command]);
    return exitOk;
  }
  try {
    await keysCommands[command](context, args);
    return exitOk;
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr(`keys ${command}: ${usageSentence(error)}\nUsage: ${keysUsage[command]}\n`);
      return exitUsage;
    }
    if (error instanceof RefusedError || error instanceof KeyStoreError) {
      context.stderr(`${error.message}\n`);
      return exitRefused;
    }
    throw error;
  }
}
