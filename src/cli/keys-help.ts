/** The subcommands of `keys`. */
export type KeysCommand = 'create' | 'list' | 'revoke' | 'rotate';

/** Narrows a word of the command line to a subcommand of `keys`. */
export function isKeysCommand(word: string): word is KeysCommand {
  return Object.hasOwn(KEYS_USAGE, word);
}

/** One line for each subcommand: what may follow it. */
export const KEYS_USAGE: Readonly<Record<KeysCommand, string>> = {
  create: 'npm run keys -- create --name <name> [--expires <90d|12h|30m|time>] [--json]',
  list: 'npm run keys -- list [--json]',
  revoke: 'npm run keys -- revoke <id or name> [--json]',
  rotate: 'npm run keys -- rotate <id or name> [--json]',
};

/** What `keys --help` prints. */
export const KEYS_HELP = `Makes and stops the API keys that the service accepts.

Usage:
  ${KEYS_USAGE.create}
  ${KEYS_USAGE.list}
  ${KEYS_USAGE.revoke}
  ${KEYS_USAGE.rotate}

A running server follows every change within 5 seconds, without a restart.
More on each: npm run keys -- create --help
`;

/** What `keys <subcommand> --help` prints. */
export const KEYS_COMMAND_HELP: Readonly<Record<KeysCommand, string>> = {
  create: `Makes an API key and shows it, this once.

Usage: ${KEYS_USAGE.create}

A key for the client called acme, until it is revoked:
  npm run keys -- create --name acme

One that stops after 90 days (d), 12 hours (h), 30 minutes (m), or at a moment:
  npm run keys -- create --name acme --expires 90d
  npm run keys -- create --name acme --expires 2027-01-31T00:00:00Z

In a script, with nothing but one line of JSON on standard output:
  API_KEY=$(npm run --silent keys -- create --name acme --json | jq -r .key)
`,
  list: `Lists all API keys, the oldest first, revoked and expired ones included.

Usage: ${KEYS_USAGE.list}

As a table, or as one line of JSON:
  npm run keys -- list
  npm run --silent keys -- list --json
`,
  revoke: `Stops an API key for good.

Usage: ${KEYS_USAGE.revoke}

By its name, when only one active key has it; by its id otherwise:
  npm run keys -- revoke acme
  npm run keys -- revoke key_0123456789abcdef

When the name of one key is the id of another, say which is meant:
  npm run keys -- revoke --name acme
  npm run keys -- revoke --id key_0123456789abcdef
`,
  rotate: `Replaces an API key by a new one of the same name and expiry; the old one stops at once.

Usage: ${KEYS_USAGE.rotate}

By its name, when only one active key has it; by its id otherwise:
  npm run keys -- rotate acme
  npm run keys -- rotate --id key_0123456789abcdef

To let clients change over in their own time, create a second key and revoke the first one later:
  npm run keys -- create --name acme
  npm run keys -- list
  npm run keys -- revoke <id of the old one>
`,
};
