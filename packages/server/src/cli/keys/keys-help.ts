import { ownCommand } from '../own-command.ts';
/** The subcommands of `keys`. */
export type KeysCommand = 'create' | 'list' | 'show' | 'update' | 'revoke' | 'rotate' | 'usage' | 'history';

/** Narrows a word of the command line to a subcommand of `keys`. */
export function isKeysCommand(word: string): word is KeysCommand {
  return Object.hasOwn(keysUsage, word);
}

/** The usage line of each subcommand. */
export const keysUsage: Readonly<Record<KeysCommand, string>> = {
  create: ownCommand('keys', 'create --name <name> [--expires <90d|12h|30m|time>] [limits] [--json]'),
  list: ownCommand('keys', 'list [--json]'),
  show: ownCommand('keys', 'show <id or name, or -> [--json]'),
  update: ownCommand('keys', 'update <id or name> [--new-name <name>] [--expires <90d|time|never>] [limits] [--json]'),
  revoke: ownCommand('keys', 'revoke <id or name, or -> [--close-links] [--json]'),
  rotate: ownCommand('keys', 'rotate <id or name> [--overlap <7d|12h|30m> | --close-links] [--json]'),
  usage: ownCommand('keys', 'usage [<id or name>] [--days <30>] [--json]'),
  history: ownCommand('keys', 'history [<id or name>] [--limit <100>] [--json]'),
};

/** The text of `keys --help`. */
export const keysHelp = `Creates, limits and revokes the API keys of the service, shows what they were used for, and who changed them.

Usage:
  ${Object.values(keysUsage).join('\n  ')}

Running servers apply every change within 5 seconds, without a restart.
In place of an id or name, - reads it, or the key itself, from standard input.
The keys are kept in DATABASE_URL: an SQLite file, or PostgreSQL.
Help on a command: ${ownCommand('keys', 'create --help')}
`;

const limitsHelp = `Limits, each of them optional:
  --rate-limit <n>             requests per minute, or none
  --allow-operation <names>    memo_transfer, yid_transfer, create_transfer, transfer, batch, payment_link
  --allow-mint <addresses>     the tokens that it may move
  --allow-from <addresses>     the wallets that may be the sender or the fee payer
  --allow-to <addresses>       the wallets that it may pay
  --transfer-limit <mint=n>    at most n base units of the mint in one transfer
  --daily-limit <mint=n>       at most n base units of the mint built in a day, from 00:00 UTC
Separate several values with commas, or repeat the option.
A key with limits of amounts moves only the mints that have such a limit.
`;

/** The text of `keys <subcommand> --help`. */
export const keysCommandHelp: Readonly<Record<KeysCommand, string>> = {
  create: `Creates an API key and shows it. It cannot be shown again.

Usage: ${keysUsage.create}

A key for the client called acme, until it is revoked:
  ${ownCommand('keys', 'create --name acme')}

A key that expires after 90 days (d), 12 hours (h) or 30 minutes (m), or at a time:
  ${ownCommand('keys', 'create --name acme --expires 90d')}
  ${ownCommand('keys', 'create --name acme --expires 2099-01-31T00:00:00Z')}

A key for an app, limited so that a leaked copy is of little use:
  ${ownCommand('keys', 'create --name app --expires 90d --rate-limit 60 --allow-operation memo_transfer')} \\
    --allow-mint EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v

In a script, with one line of JSON and nothing else on standard output:
  API_KEY=$(${ownCommand('keys', 'create --name acme --json')} | jq -r .key)

${limitsHelp}`,
  list: `Lists all API keys, the oldest first, including revoked and expired ones.

Usage: ${keysUsage.list}

As a table, or as one line of JSON with more details:
  ${ownCommand('keys', 'list')}
  ${ownCommand('keys', 'list --json')}
`,
  show: `Shows an API key: its limits and when it was last used, but not the key itself.

Usage: ${keysUsage.show}

By its name or its id:
  ${ownCommand('keys', 'show acme')}
  ${ownCommand('keys', 'show key_0123456789abcdef')}

By the key itself, such as one found where it should not be: on standard input, because npm logs arguments:
  ${ownCommand('keys', 'show - < file-with-the-key')}

A key cannot be shown again, because only its SHA-256 is kept. To replace it by a new key:
  ${ownCommand('keys', 'rotate acme')}
`,
  update: `Changes the name, the expiry or the limits of an API key; everything else stays as it is.

Usage: ${keysUsage.update}

A new value replaces the old one; never, default and any remove it:
  ${ownCommand('keys', 'update acme --expires 30d --rate-limit 1200')}
  ${ownCommand('keys', 'update acme --expires never --rate-limit default')}
  ${ownCommand('keys', 'update acme --allow-mint any --allow-from any --allow-operation create_transfer')}
  ${ownCommand('keys', 'update key_0123456789abcdef --new-name "acme staging"')}

Limits of amounts change only for the mints that are named; <mint>=any removes one, any alone removes all:
  ${ownCommand('keys', 'update acme --daily-limit EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v=5000000000')}

${limitsHelp}`,
  revoke: `Revokes an API key for good.

Usage: ${keysUsage.revoke}

By its name, when only one active key has it; by its id otherwise:
  ${ownCommand('keys', 'revoke acme')}
  ${ownCommand('keys', 'revoke key_0123456789abcdef')}

By the key itself: on standard input, because npm and the shell write arguments down:
  ${ownCommand('keys', 'revoke - < file-with-the-key')}

When the name of one key is the id of another, say which is meant:
  ${ownCommand('keys', 'revoke --name acme')}
  ${ownCommand('keys', 'revoke --id key_0123456789abcdef')}

Its open payment links can still be paid while a key that replaced it is active. To cancel them too:
  ${ownCommand('keys', 'revoke acme --close-links')}
`,
  rotate: `Replaces an API key by a new one of the same name, expiry and limits.

Usage: ${keysUsage.rotate}

The old key stops at once, or keeps working for a while so that its clients can switch:
  ${ownCommand('keys', 'rotate acme')}
  ${ownCommand('keys', 'rotate acme --overlap 7d')}

By its name, when only one active key has it; by its id otherwise:
  ${ownCommand('keys', 'rotate --id key_0123456789abcdef')}

The new key takes over the open payment links of the old one. To cancel those that the old key made, such as after a leak:
  ${ownCommand('keys', 'rotate acme --close-links')}
`,
  usage: `Shows what API keys were used for, by day (UTC) and key: requests, builds, replays, answers and refusals by code.
A replay is a retry that got its first reply; an answer is one about the outcome of a transfer.

Usage: ${keysUsage.usage}

For all keys, or for one client over the last 7 days; as a table, or as one line of JSON:
  ${ownCommand('keys', 'usage')}
  ${ownCommand('keys', 'usage --name acme --days 7')}
  ${ownCommand('keys', 'usage --json')}

Running servers add their numbers every 3 seconds.
`,
  history: `Shows every change to API keys, the newest last: when, what, and by which user of which host.

Usage: ${keysUsage.history}

Of all keys, or of one, also under a name that it had before; as a table, or as one line of JSON:
  ${ownCommand('keys', 'history')}
  ${ownCommand('keys', 'history acme --limit 1000')}
  ${ownCommand('keys', 'history --id key_0123456789abcdef --json')}

Each line was written together with its change, and the database refuses to change or delete it.
`,
};
