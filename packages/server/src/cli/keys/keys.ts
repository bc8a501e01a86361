import { type Command, Option } from 'commander';
import { ownCommand } from '../../app/own-command.ts';
import { parseConfig, sandboxDatabase } from '../../config.ts';
import { operations } from '../../operation.ts';
import { type CommandContext, configurationFault, type Does } from '../command.ts';
import {
  type CreateOptions,
  countUpTo,
  type KeyOptions,
  parseAddresses,
  parseAmounts,
  parseDuration,
  parseExpiry,
  parseLamports,
  parseMints,
  parseName,
  parseOperations,
  parseRateLimit,
  parseSenders,
} from './keys-arguments.ts';
import type { KeysContext, Result } from './keys-commands.ts';

type Commands = typeof import('./keys-commands.ts');

/** Adds the subcommands of `keys`: they create, list, show, change, revoke and rotate API keys, and report usage and history. */
export function addKeysCommands(keys: Command, context: CommandContext, does: Does): void {
  keys.addHelpText(
    'after',
    '\nRunning servers apply every change within 5 seconds, without a restart.\n' +
      'In place of an id or name, - reads it, or the key itself, from standard input.\n' +
      'The keys are kept in DATABASE_URL: an SQLite file, or PostgreSQL.\n' +
      `Help on a command: ${ownCommand('keys', 'create --help')}`,
  );
  const add = (name: string, description: string): Command =>
    keys.command(name).description(description).option('--json', 'print one line of JSON');
  const addOnKey = (name: 'show' | 'update' | 'revoke' | 'rotate' | 'usage' | 'history', description: string) =>
    add(name, description)
      .argument('[id or name]', 'of the key, or - to read it, or the key itself, from standard input')
      .addOption(
        new Option('--id <id>', 'the key with this id, such as where several keys share a name').conflicts('name'),
      )
      .option('--name <name>', 'the key with this name, also where that is the id of another')
      .action(
        does((key: string | undefined, options: KeyOptions) =>
          run(context, options, (commands, own) => commands[name](own, key, options)),
        ),
      );

  withLimits(add('create', 'create an API key and show it: it cannot be shown again'))
    .requiredOption('--name <name>', 'who or what will use the key', parseName)
    .option(
      '--expires <time>',
      'after days, hours or minutes (90d, 12h, 30m), or at a time (2099-01-31T00:00:00Z)',
      parseExpiry,
    )
    .addHelpText('after', examples('create --name acme', 'create --name acme --expires 90d'))
    .action(
      does((options: CreateOptions & { json?: true }) =>
        run(context, options, ({ create }, own) => create(own, options)),
      ),
    );
  add('list', 'list all API keys, the oldest first, including revoked and expired ones')
    .addHelpText('after', examples('list', 'list --json'))
    .action(does((options: { json?: true }) => run(context, options, ({ list }, own) => list(own))));
  addOnKey('show', 'show the limits and the last use of a key, not the key itself').addHelpText(
    'after',
    examples('show acme', 'show - < file-with-the-key'),
  );
  withLimits(addOnKey('update', 'change the name, the expiry or the limits of a key'))
    .option('--new-name <name>', 'its new name', parseName)
    .option('--expires <time>', 'as in create, or never', (text) => (text === 'never' ? text : parseExpiry(text)))
    .addHelpText('after', examples('update acme --expires 30d --rate-limit 1200', 'update acme --allow-mint any'));
  addOnKey('revoke', 'revoke a key for good')
    .option('--close-links', 'cancel its open payment links, which otherwise an active key that replaced it keeps')
    .addHelpText('after', examples('revoke acme', 'revoke --id key_0123456789abcdef', 'revoke - < file-with-the-key'));
  const overlap = 'how long the old key keeps working, such as 7d, 12h or 30m; by default it stops at once';
  addOnKey('rotate', 'replace a key by a new one of the same name, expiry and limits')
    // In the overlap the old key could make links again.
    .addOption(new Option('--overlap <time>', overlap).argParser(parseDuration).conflicts('closeLinks'))
    .option('--close-links', 'cancel the open payment links of the old key, such as after a leak')
    .addHelpText('after', examples('rotate acme', 'rotate acme --overlap 7d'));
  addOnKey(
    'usage',
    'show requests, builds, replays, answers and refusals by day (UTC) and key, of all keys unless one is named',
  )
    .option('--days <number>', 'the last days', countUpTo(9999), 30)
    .addHelpText('after', examples('usage', 'usage --name acme --days 7'));
  addOnKey('history', 'show every change to keys, and by which user of which host, of all keys unless one is named')
    .option('--limit <number>', 'the newest changes', countUpTo(999_999), 100)
    .addHelpText('after', examples('history', 'history acme --limit 1000'));
}

/** Runs a command and prints its result. The stores, which take a second to load, are loaded now. */
async function run(
  context: CommandContext,
  { json }: { json?: true },
  command: (commands: Commands, own: KeysContext) => Promise<Result>,
): Promise<number> {
  const { DATABASE_URL, SOLANA_RPC_URLS } = context.environment;
  const parsed = parseConfig({ DATABASE_URL, SOLANA_RPC_URLS });
  if ('faults' in parsed) {
    context.stderr(`${parsed.faults.join('\n')}\n`);
    return configurationFault;
  }
  const { databaseUrl } = parsed.config;
  if (databaseUrl === sandboxDatabase) {
    context.stderr(`SOLANA_RPC_URLS is not set: these are the keys of the sandbox, in ${sandboxDatabase}\n`);
  }
  const result = await command(await import('./keys-commands.ts'), { ...context, databaseUrl });
  context.stdout(json ? `${JSON.stringify(result.json)}\n` : result.text);
  for (const warning of result.warnings ?? []) context.stderr(`Warning: ${warning}\n`);
  return 0;
}

function examples(...words: readonly string[]): string {
  return `\nExamples:\n${words.map((each) => `  ${ownCommand('keys', each)}\n`).join('')}`;
}

function withLimits(command: Command): Command {
  return command
    .option('--rate-limit <number>', 'requests per minute, or none, or default', parseRateLimit)
    .option('--allow-operation <names>', operations.join(', '), parseOperations)
    .option('--allow-mint <addresses>', 'the tokens that it may move, SOL among them', parseMints)
    .option('--allow-from <addresses>', 'the wallets that may be the sender or the fee payer', parseSenders)
    .option('--allow-to <addresses>', 'the wallets that it may pay', parseAddresses)
    .option('--transfer-limit <mint=number>', 'the most base units of the mint in one transfer', parseAmounts)
    .option(
      '--daily-limit <mint=number>',
      'the most base units of the mint built in a day, from 00:00 UTC',
      parseAmounts,
    )
    .option(
      '--sponsored-lamports-per-day <number>',
      'the most lamports, or any, that a sponsor pays in a day',
      parseLamports,
    )
    .option('--sponsor-rent', 'a sponsor may pay the rent of token accounts')
    .option('--no-sponsor-rent', 'a sponsor may not pay rent')
    .addHelpText(
      'after',
      '\nSeparate several values with commas, or repeat the option; any removes a limit.\n' +
        'A key with amount limits moves only the mints that have one.',
    );
}
