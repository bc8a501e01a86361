import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './keys-context.ts';
import { parseExpiry } from './keys-expiry.ts';

/** Which key a command is about: the text, and whether it is only an id, only a name, or either. */
export interface KeySelector {
  readonly by: 'id' | 'name' | 'id or name';
  readonly text: string;
}

/** 1 to 64 characters that print, with single spaces inside only; nothing that could disturb a terminal or a log. */
const NAME_PATTERN = /^(?=.{1,64}$)[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;

/** Reads the arguments of `keys create`; throws a `UsageError`, or a `RefusedError` for an expiry that has passed. */
export function parseCreateArguments(
  args: readonly string[],
  now: Date,
): { name: string; expiresAt: Date | null; json: boolean } {
  const { values } = parseStrictly({
    args: [...args],
    options: { name: { type: 'string' }, expires: { type: 'string' }, json: { type: 'boolean' } },
  });
  if (values.name === undefined) throw new UsageError('--name is missing: say who or what will use the key');
  if (!NAME_PATTERN.test(values.name)) {
    throw new UsageError('--name must be 1 to 64 visible characters, with single spaces inside at most');
  }
  return {
    name: values.name,
    expiresAt: values.expires === undefined ? null : parseExpiry(values.expires, now),
    json: values.json === true,
  };
}

/** Reads the arguments of `keys list`; throws a `UsageError`. */
export function parseListArguments(args: readonly string[]): { json: boolean } {
  const { values } = parseStrictly({ args: [...args], options: { json: { type: 'boolean' } } });
  return { json: values.json === true };
}

/** Reads the arguments of `keys revoke` and `keys rotate`; throws a `UsageError`. */
export function parseSelectorArguments(args: readonly string[]): { selector: KeySelector; json: boolean } {
  const { values, positionals } = parseStrictly({
    args: [...args],
    options: { id: { type: 'string' }, name: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const selectors: KeySelector[] = positionals.map((text) => ({ by: 'id or name', text }));
  if (values.id !== undefined) selectors.push({ by: 'id', text: values.id });
  if (values.name !== undefined) selectors.push({ by: 'name', text: values.name });
  const [selector, ...others] = selectors;
  if (selector === undefined) throw new UsageError('the id or name of the key is missing');
  if (others.length > 0) throw new UsageError('give one id or name only');
  return { selector, json: values.json === true };
}

function parseStrictly<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')) {
      throw new UsageError(error.message.replace(/\.$/, ''), { cause: error });
    }
    throw error;
  }
}
