import { checkApiKeyFormat } from '../../keys/api-key.ts';
import { absentSelector, type KeySelector } from './keys-arguments.ts';
import { type KeysContext, UsageError } from './keys-context.ts';

/**
 * Returns the key of a command: the one on the command line, or the line on standard input.
 *
 * Standard input is read for `-`, and without a key when it is not a terminal. Warns of a whole key among the arguments, which
 * the shell and npm write down. Throws a `UsageError` when there is no key, or more than one line.
 */
export async function readSelector(context: KeysContext, selector: KeySelector): Promise<KeySelector> {
  const isNamed = selector !== absentSelector && !(selector.by === 'id or name' && selector.text === '-');
  if (isNamed) {
    if (checkApiKeyFormat(selector.text) === 'ok') context.stderr(keyInArguments);
    return selector;
  }
  if (selector === absentSelector && context.input.isTerminal) throw new UsageError(missing);
  const text = (await context.input.read()).trim();
  if (text === '') throw new UsageError(missing);
  if (/[\r\n]/.test(text)) throw new UsageError('standard input must hold one key, id or name, in one line');
  return { by: 'id or name', text };
}

const missing = 'the id or name of the key is missing, or - to read it, or the key itself, from standard input';
const keyInArguments =
  'Warning: a whole key was given as an argument, which the history of the shell and the logs of npm keep. ' +
  'Give it on standard input instead, with - as the argument.\n';
