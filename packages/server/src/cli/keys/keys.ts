import type { Command } from 'commander';
import { ownCommand } from '../../app/own-command.ts';
import { parseConfig, sandboxDatabase } from '../../config.ts';
import type { CommandContext, Does } from '../command-context.ts';
import type {
  ChangeOptions,
  CreateOptions,
  HistoryOptions,
  JsonOption,
  RotateOptions,
  SelectorOptions,
  UpdateOptions,
  UsageOptions,
} from './keys-arguments.ts';
import type { KeysContext } from './keys-context.ts';

/** Adds `keys` with its subcommands: they create, list, show, change, revoke and rotate API keys, and report usage and history. */
export function addKeysCommands(program: Command, context: CommandContext, does: Does): void {
  const keys = program
    .command('keys')
    .description('create, limit and revoke API keys, show what they were used for and who changed them')
    .addHelpText(
      'after',
      '\nRunning servers apply every change within 5 seconds, without a restart.\n' +
        'In place of an id or name, - reads it, or the key itself, from standard input.\n' +
        'The keys are kept in DATABASE_URL: an SQLite file, or PostgreSQL.\n' +
        `Help on a command: ${ownCommand('keys', 'create --help')}`,
    );
  // The stores take a second to load.
  const run = <Args extends readonly unknown[]>(
    command: (commands: typeof import('./keys-commands.ts'), context: KeysContext, ...args: Args) => Promise<void>,
  ) =>
    does(async (...args: Args) => {
      const { DATABASE_URL, SOLANA_RPC_URLS } = context.environment;
      const parsed = parseConfig({ DATABASE_URL, SOLANA_RPC_URLS });
      if ('faults' in parsed) {
        context.stderr(`${parsed.faults.join('\n')}\n`);
        return 78;
      }
      const { databaseUrl } = parsed.config;
      if (databaseUrl === sandboxDatabase) {
        context.stderr(`SOLANA_RPC_URLS is not set: these are the keys of the sandbox, in ${sandboxDatabase}\n`);
      }
      await command(await import('./keys-commands.ts'), { ...context, databaseUrl }, ...args);
      return 0;
    });

  withLimits(keys.command('create').description('create an API key and show it: it cannot be shown again'))
    .requiredOption('--name <name>', 'who or what will use the key')
    .option('--expires <time>', 'after days, hours or minutes (90d, 12h, 30m), or at a time (2099-01-31T00:00:00Z)')
    .option('--json', json)
    .addHelpText('after', examples('create --name acme', 'create --name acme --expires 90d'))
    .action(run(({ create }, own, options: CreateOptions) => create(own, options)));
  keys
    .command('list')
    .description('list all API keys, the oldest first, including revoked and expired ones')
    .option('--json', json)
    .addHelpText('after', examples('list', 'list --json'))
    .action(run(({ list }, own, options: JsonOption) => list(own, options)));
  withSelector(keys.command('show').description('show the limits and the last use of a key, not the key itself'))
    .addHelpText('after', examples('show acme', 'show - < file-with-the-key'))
    .action(run(({ show }, own, key: string | undefined, options: SelectorOptions) => show(own, key, options)));
  withLimits(withSelector(keys.command('update').description('change the name, the expiry or the limits of a key')))
    .option('--new-name <name>', 'what it is called from now on')
    .option('--expires <time>', 'as of create, or never')
    .addHelpText('after', examples('update acme --expires 30d --rate-limit 1200', 'update acme --allow-mint any'))
    .action(run(({ update }, own, key: string | undefined, options: UpdateOptions) => update(own, key, options)));
  withSelector(keys.command('revoke').description('revoke a key for good'))
    .option('--close-links', 'cancel its open payment links, which an active key that replaced it would keep')
    .addHelpText('after', examples('revoke acme', 'revoke --id key_0123456789abcdef', 'revoke - < file-with-the-key'))
    .action(run(({ revoke }, own, key: string | undefined, options: ChangeOptions) => revoke(own, key, options)));
  withSelector(keys.command('rotate').description('replace a key by a new one of the same name, expiry and limits'))
    .option('--overlap <time>', 'how long the old key keeps working, such as 7d, 12h or 30m; without it, not at all')
    .option('--close-links', 'cancel the open payment links of the old key, such as after a leak')
    .addHelpText('after', examples('rotate acme', 'rotate acme --overlap 7d'))
    .action(run(({ rotate }, own, key: string | undefined, options: RotateOptions) => rotate(own, key, options)));
  withSelector(
    keys
      .command('usage')
      .description(
        'show requests, builds, replays, answers and refusals by day (UTC) and key; of all keys without one',
      ),
  )
    .option('--days <number>', 'the last days', '30')
    .addHelpText('after', examples('usage', 'usage --name acme --days 7'))
    .action(run(({ usage }, own, key: string | undefined, options: UsageOptions) => usage(own, key, options)));
  withSelector(
    keys
      .command('history')
      .description('show every change to keys, and by which user of which host; of all without one'),
  )
    .option('--limit <number>', 'the newest changes', '100')
    .addHelpText('after', examples('history', 'history acme --limit 1000'))
    .action(run(({ history }, own, key: string | undefined, options: HistoryOptions) => history(own, key, options)));
}

const json = 'print one line of JSON';

function examples(...words: readonly string[]): string {
  return `\nExamples:\n${words.map((each) => `  ${ownCommand('keys', each)}\n`).join('')}`;
}

function withSelector(command: Command): Command {
  return command
    .argument('[id or name]', 'of the key, or - to read it, or the key itself, from standard input')
    .option('--id <id>', 'where the name of one key is the id of another')
    .option('--name <name>', 'the same')
    .option('--json', json);
}

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

function withLimits(command: Command): Command {
  return command
    .option('--rate-limit <number>', 'requests per minute, or none, or default')
    .option(
      '--allow-operation <names>',
      'memo_transfer, yid_transfer, create_transfer, transfer, batch, payment_link',
      collect,
    )
    .option('--allow-mint <addresses>', 'the tokens that it may move', collect)
    .option('--allow-from <addresses>', 'the wallets that may be the sender or the fee payer', collect)
    .option('--allow-to <addresses>', 'the wallets that it may pay', collect)
    .option('--transfer-limit <mint=number>', 'the most base units of the mint in one transfer', collect)
    .option('--daily-limit <mint=number>', 'the most base units of the mint built in a day, from 00:00 UTC', collect)
    .addHelpText(
      'after',
      '\nSeparate several values with commas, or repeat the option; any removes a limit.\n' +
        'A key with limits of amounts moves only the mints that have such a limit.',
    );
}
