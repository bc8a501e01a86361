import { ownCommand } from '../own-command.ts';
/** The subcommands of `links`. */
export type LinksCommand = 'create' | 'list' | 'show' | 'cancel';

/** Narrows a word of the command line to a subcommand of `links`. */
export function isLinksCommand(word: string): word is LinksCommand {
  return Object.hasOwn(linksUsage, word);
}

/** The usage line of each subcommand. */
export const linksUsage: Readonly<Record<LinksCommand, string>> = {
  create: ownCommand(
    'links',
    'create --to <wallet> --mint <address> --amount <base units> --label <text> [options] [--json]',
  ),
  list: ownCommand('links', 'list [--limit <20>] [--cursor <text>] [--json]'),
  show: ownCommand('links', 'show <id or URL> [--json]'),
  cancel: ownCommand('links', 'cancel <id or URL> [--json]'),
};

const service = `SPLWRIGHT_URL names the running service (http://127.0.0.1:3000 without it), SPLWRIGHT_API_KEY its API key. A sandbox on this
machine needs no key. Exit status: 0, 1 when the service refuses or cannot be reached, 2 for a wrong command line.
`;

/** The text of `links --help`. */
export const linksHelp = `Makes payment links, which any Solana wallet can pay, and shows whether they are paid.

Usage:
  ${Object.values(linksUsage).join('\n  ')}

${service}Help on a command: ${ownCommand('links', 'create --help')}
`;

/** The text of `links <subcommand> --help`. */
export const linksCommandHelp: Readonly<Record<LinksCommand, string>> = {
  create: `Makes a payment link, and shows its URL and its QR code.

Usage: ${linksUsage.create}

10 tokens of 6 decimals, for one payment within the next 7 days:
  ${ownCommand('links', 'create --to <wallet> --mint <address> --amount 10000000 --label "Two coffees"')}

  --amount-min, --amount-max     instead of --amount: the payer chooses within these bounds
  --memo <text>                  what the transaction says on chain
  --message <text>               what the payer reads
  --icon <URL>                   https: an image for wallets
  --redirect <URL>               https: where wallets go after the payment
  --expires-in <7d|12h|30m|90s>  7 days without it
  --many                         any number of payments; without it one payment closes the link
  --allow-off-curve-recipient    the recipient may be an address that no wallet has, such as a vault
  --idempotency-key <key>        a retry with the same key makes no second link
  --no-qr                        without the QR code
  --json                         one line of JSON, as the API replies it

${service}`,
  list: `Lists the payment links of the API key, the newest first.

Usage: ${linksUsage.list}

The next page of 50, or one line of JSON:
  ${ownCommand('links', 'list --limit 50 --cursor <text>')}
  ${ownCommand('links', 'list --json')}

${service}`,
  show: `Shows a payment link: whether it is paid, by whom, and its QR code while it is open (not with --no-qr).

Usage: ${linksUsage.show}

${service}`,
  cancel: `Cancels a payment link, unless it is paid. A transaction that a payer already has can still land: it is listed then.

Usage: ${linksUsage.cancel}

${service}`,
};
