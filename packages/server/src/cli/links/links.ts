import { visibleText } from '../../app/visible-text.ts';
import type { Environment } from '../../config/variables.ts';
import { formatJson } from '../format-json.ts';
import { ownCommand } from '../own-command.ts';
import { RefusedError, UsageError, usageSentence } from '../parse-arguments.ts';
import { parseCreateArguments, parseLinkArguments, parseListArguments } from './links-arguments.ts';
import { dataOf, formatLink, formatLinks } from './links-output.ts';
import { askService, type LinksRequest } from './links-service.ts';

/** The input and output of a `links` command; the texts that it writes end with a line break. */
export interface LinksContext {
  /** The arguments after `links`. */
  arguments: readonly string[];
  environment: Environment;
  /** Whether a person reads standard output: only there is a QR code. */
  isTerminal: boolean;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const exitOk = 0;
const exitRefused = 1;
const exitUsage = 2;

/**
 * Runs the `links` command, which asks a running service: makes, lists, shows and cancels payment links.
 *
 * Resolves with the exit status: 0 when done, 1 when the service refuses or cannot be used, 2 for a command line that is not
 * understood. With `--json`, standard output gets one line of JSON or nothing. Rejects only on a bug.
 */
export async function runLinks(context: LinksContext): Promise<number> {
  const [command, ...args] = context.arguments;
  if (command === '--help' || command === '-h') {
    context.stdout(linksHelp);
    return exitOk;
  }
  if (command === undefined || !isLinksCommand(command)) {
    if (command !== undefined) context.stderr(`Unknown command ${visibleText(JSON.stringify(command))}.\n\n`);
    context.stderr(linksHelp);
    return exitUsage;
  }
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout(linksCommandHelp[command]);
    return exitOk;
  }
  try {
    const { environment, isTerminal } = context;
    const canShowCode = isTerminal && !environment.NO_COLOR;
    context.stdout(await commands[command]((request) => askService(environment, request), args, canShowCode));
    return exitOk;
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr(`links ${command}: ${visibleText(usageSentence(error))}\nUsage: ${linksUsage[command]}\n`);
      return exitUsage;
    }
    if (error instanceof RefusedError) {
      context.stderr(`${error.message}\n`);
      return exitRefused;
    }
    throw error;
  }
}

type Ask = (request: LinksRequest) => Promise<object>;

type Run = (ask: Ask, args: readonly string[], canShowCode: boolean) => Promise<string>;

const commands: Readonly<Record<LinksCommand, Run>> = {
  async create(ask, args, canShowCode) {
    const { body, idempotencyKey, output } = parseCreateArguments(args);
    const data = dataOf(await ask({ method: 'POST', path: '', body, idempotencyKey }));
    return output.json ? formatJson(data) : formatLink(data, canShowCode && output.qr);
  },
  async list(ask, args) {
    const { query, output } = parseListArguments(args);
    const reply = await ask({ method: 'GET', path: query.size > 0 ? `?${query}` : '' });
    return output.json ? formatJson(reply) : formatLinks(reply);
  },
  async show(ask, args, canShowCode) {
    const { id, output } = parseLinkArguments(args);
    const data = dataOf(await ask({ method: 'GET', path: `/${id}` }));
    return output.json ? formatJson(data) : formatLink(data, canShowCode && output.qr);
  },
  async cancel(ask, args, canShowCode) {
    const { id, output } = parseLinkArguments(args);
    const data = dataOf(await ask({ method: 'POST', path: `/${id}/cancel` }));
    return output.json ? formatJson(data) : formatLink(data, canShowCode && output.qr);
  },
};

/** The subcommands of `links`. */
export type LinksCommand = 'create' | 'list' | 'show' | 'cancel';

/** Narrows a word of the command line to a subcommand of `links`. */
function isLinksCommand(word: string): word is LinksCommand {
  return Object.hasOwn(linksUsage, word);
}

/** The usage line of each subcommand. */
const linksUsage: Readonly<Record<LinksCommand, string>> = {
  create: ownCommand(
    'links',
    'create --to <wallet> --mint <address> --amount-decimal <1.5> --label <text> [options] [--json]',
  ),
  list: ownCommand('links', 'list [--limit <20>] [--cursor <text>] [--json]'),
  show: ownCommand('links', 'show <id or URL> [--json]'),
  cancel: ownCommand('links', 'cancel <id or URL> [--json]'),
};

const service = `SPLWRIGHT_URL names the running service (without it http://127.0.0.1 and PORT, or 3000), SPLWRIGHT_API_KEY its API key. A sandbox on this
machine needs no key. Exit status: 0, 1 when the service refuses or cannot be reached, 2 for a wrong command line.
`;

/** The text of `links --help`. */
const linksHelp = `Makes payment links, which any Solana wallet can pay, and shows whether they are paid.

Usage:
  ${Object.values(linksUsage).join('\n  ')}

${service}Help on a command: ${ownCommand('links', 'create --help')}
`;

/** The text of `links <subcommand> --help`. */
const linksCommandHelp: Readonly<Record<LinksCommand, string>> = {
  create: `Makes a payment link, and shows its URL and its QR code.

Usage: ${linksUsage.create}

10.5 tokens, for one payment within the next 7 days:
  ${ownCommand('links', 'create --to <wallet> --mint <address> --amount-decimal 10.5 --label "Two coffees"')}

  --amount <base units>          instead of --amount-decimal: 10500000 is 10.5 tokens of a mint with 6 decimals
  --amount-min, --amount-max     instead of both: the payer chooses within these bounds, in base units
  --memo <text>                  what the transaction says on chain
  --message <text>               what the payer reads
  --icon <URL>                   https: an image for wallets
  --redirect <URL>               https: where wallets go after the payment
  --expires-in <7d|12h|30m|90s>  7 days without it
  --many                         any number of payments; without it one payment closes the link
  --allow-off-curve-recipient    the recipient may be an off-curve address, such as a vault
  --idempotency-key <key>        a retry with the same key makes no second link
  --no-qr                        without the QR code, which only a terminal gets, and none with NO_COLOR
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
