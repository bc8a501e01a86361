import { type ParseArgsConfig, parseArgs } from 'node:util';
import { findSimilarName } from '../similar-name.ts';

/** A command line that is not understood; the message names the error in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that was understood and is refused; the message has the reason and the remedy. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Parses arguments like `parseArgs` of Node. Throws a `UsageError` when they do not fit the options. */
export function parseStrictly<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')) {
      throw new UsageError(explainUnknown(error.message, config) ?? error.message.replace(/\.$/, ''), { cause: error });
    }
    throw error;
  }
}

// Node says more about an argument that begins with a hyphen than about which options there are.
function explainUnknown(message: string, { options = {} }: ParseArgsConfig): string | undefined {
  const [, option] = /^Unknown option '([^']+)'/.exec(message) ?? [];
  if (option === undefined) return undefined;
  const meant = findSimilarName(option, Object.keys(options));
  return `there is no option ${option}${meant === undefined ? '' : `: did you mean --${meant}?`}`;
}

/** Returns the sentence of a `UsageError`, which may end with a question. */
export function usageSentence({ message }: UsageError): string {
  return message.endsWith('?') ? message : `${message}.`;
}

/** Reads the options of a command that has only `--json` and `--help`. Writes the error and the help, and returns `undefined`, for others. */
export function readJsonOptions(
  command: string,
  { arguments: args, stderr }: { arguments: readonly string[]; stderr: (text: string) => void },
  help: string,
): { json?: boolean; help?: boolean } | undefined {
  try {
    const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseStrictly({ args: [...args], options }).values;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr(`${command}: ${usageSentence(error)}\n\n${help}`);
    return undefined;
  }
}
