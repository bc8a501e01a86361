/** The subcommands of `keys`. */
export type KeysCommand = 'create' | 'list' | 'show' | 'update' | 'revoke' | 'rotate' | 'usage';

/** Narrows a word of the command line to a subcommand of `keys`. */
export function isKeysCommand(word: string): word is KeysCommand {
  return Object.hasOwn(KEYS_USAGE, word);
}

/** One line for each subcommand: what may follow it. */
export const KEYS_USAGE: Readonly<Record<KeysCommand, string>> = {
  create: 'npm run keys -- create --name <name> [--expires <90d|12h|30m|time>] [limits] [--json]',
  list: 'npm run keys -- list [--json]',
  show: 'npm run keys -- show <id or name> [--json]',
  update: 'npm run keys -- update <id or name> [--new-name <name>] [--expires <90d|time|never>] [limits] [--json]',
  revoke: 'npm run keys -- revoke <id or name> [--json]',
  rotate: 'npm run keys -- rotate <id or name> [--overlap <7d|12h|30m>] [--json]',
  usage: 'npm run keys -- usage [<id or name>] [--days <30>] [--json]',
};

/** What `keys --help` prints. */
export const KEYS_HELP = `Makes, limits and stops the API keys that the service accepts, and says what they were used for.

Usage:
  ${Object.values(KEYS_USAGE).join('\n  ')}

A running server follows every change within 5 seconds, without a restart.
The keys are those of DATABASE_URL: an SQLite file, or PostgreSQL.
More on each: npm run keys -- create --help
`;

const LIMITS = `Limits, each of which may be left out:
  --rate-limit <n>             requests per minute, or none
  --allow-operation <names>    memo_transfer, yid_transfer, create_transfer
  --allow-mint <addresses>     the tokens that it may move
  --allow-from <addresses>     the wallets that may sign what it builds: senders, and fee payers
Several are written with commas between them, or the option is repeated.
`;

/** What `keys <subcommand> --help` prints. */
export const KEYS_COMMAND_HELP: Readonly<Record<KeysCommand, string>> = {
  create: `Makes an API key and shows it, this once.

Usage: ${KEYS_USAGE.create}

A key for the client called acme, until it is revoked:
  npm run keys -- create --name acme

One that stops after 90 days (d), 12 hours (h), 30 minutes (m), or at a moment:
  npm run keys -- create --name acme --expires 90d
  npm run keys -- create --name acme --expires 2099-01-31T00:00:00Z

One for an app, of little use to whoever takes it out of there:
  npm run keys -- create --name app --expires 90d --rate-limit 60 --allow-operation memo_transfer \\
    --allow-mint EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v

In a script, with nothing but one line of JSON on standard output:
  API_KEY=$(npm run --silent keys -- create --name acme --json | jq -r .key)

${LIMITS}`,
  list: `Lists all API keys, the oldest first, revoked and expired ones included.

Usage: ${KEYS_USAGE.list}

As a table, or as one line of JSON, which says more:
  npm run keys -- list
  npm run --silent keys -- list --json
`,
  show: `Shows all that is known of an API key: its limits, when it was last used, but not the key itself.

Usage: ${KEYS_USAGE.show}

By its name, its id, or the key itself, such as one found where it should not be:
  npm run keys -- show acme
  npm run keys -- show key_0123456789abcdef
  npm run keys -- show swk_…

A key cannot be shown again: only its SHA-256 is kept. To have a new one in its place:
  npm run keys -- rotate acme
`,
  update: `Changes the name, the expiry or the limits of an API key; what is not given stays as it is.

Usage: ${KEYS_USAGE.update}

What is given takes the place of what was; never, default and any take it away:
  npm run keys -- update acme --expires 30d --rate-limit 1200
  npm run keys -- update acme --expires never --rate-limit default
  npm run keys -- update acme --allow-mint any --allow-from any --allow-operation create_transfer
  npm run keys -- update key_0123456789abcdef --new-name "acme staging"

${LIMITS}`,
  revoke: `Stops an API key for good.

Usage: ${KEYS_USAGE.revoke}

By its name, when only one active key has it; by its id or the key itself otherwise:
  npm run keys -- revoke acme
  npm run keys -- revoke key_0123456789abcdef

When the name of one key is the id of another, say which is meant:
  npm run keys -- revoke --name acme
  npm run keys -- revoke --id key_0123456789abcdef
`,
  rotate: `Replaces an API key by a new one of the same name, expiry and limits.

Usage: ${KEYS_USAGE.rotate}

The old key stops at once, or works on for a while, in which its clients change over:
  npm run keys -- rotate acme
  npm run keys -- rotate acme --overlap 7d

By its name, when only one active key has it; by its id otherwise:
  npm run keys -- rotate --id key_0123456789abcdef
`,
  usage: `Says what API keys were used for, by day (in UTC) and key: requests, builds, and refusals by their code.

Usage: ${KEYS_USAGE.usage}

Of all keys, of one client's, of the last 7 days; as a table, or as one line of JSON:
  npm run keys -- usage
  npm run keys -- usage --name acme --days 7
  npm run --silent keys -- usage --json

A running server adds what it did every 3 seconds.
`,
};
