import { type ParseArgsConfig, parseArgs } from 'node:util';

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
      throw new UsageError(error.message.replace(/\.$/, ''), { cause: error });
    }
    throw error;
  }
}

/** Reads the options of a command that has only `--json` and `--help`. Writes the error and the help, and returns `undefined`, for others. */
export function readJsonOptions(
  command: string,
  { arguments: args, stderr }: { arguments: readonly string[]; stderr: (text: string) => void },
  help: string,
): { json?: boolean; help?: boolean } | undefined {
  try {
    const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    stderr(`${command}: ${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return undefined;
  }
}
