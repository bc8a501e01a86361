import { visibleText } from '../../wire/words/visible-text.ts';
import { parseCreateArguments, parseLinkArguments, parseListArguments } from './links-arguments.ts';
import { type LinksContext, LinksRefusedError, LinksUsageError } from './links-context.ts';
import { isLinksCommand, type LinksCommand, linksCommandHelp, linksHelp, linksUsage } from './links-help.ts';
import { dataOf, formatJson, formatLink, formatLinks } from './links-output.ts';
import { askService, type LinksRequest } from './links-service.ts';

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
    context.stdout(await commands[command]((request) => askService(context.environment, request), args));
    return exitOk;
  } catch (error) {
    if (error instanceof LinksUsageError) {
      context.stderr(`links ${command}: ${visibleText(error.message)}.\nUsage: ${linksUsage[command]}\n`);
      return exitUsage;
    }
    if (error instanceof LinksRefusedError) {
      context.stderr(`${error.message}\n`);
      return exitRefused;
    }
    throw error;
  }
}

type Ask = (request: LinksRequest) => Promise<object>;

const commands: Readonly<Record<LinksCommand, (ask: Ask, args: readonly string[]) => Promise<string>>> = {
  async create(ask, args) {
    const { body, idempotencyKey, output } = parseCreateArguments(args);
    const data = dataOf(await ask({ method: 'POST', path: '', body, idempotencyKey }));
    return output.json ? formatJson(data) : formatLink(data, output);
  },
  async list(ask, args) {
    const { query, output } = parseListArguments(args);
    const reply = await ask({ method: 'GET', path: query.size > 0 ? `?${query}` : '' });
    return output.json ? formatJson(reply) : formatLinks(reply);
  },
  async show(ask, args) {
    const { id, output } = parseLinkArguments(args);
    const data = dataOf(await ask({ method: 'GET', path: `/${id}` }));
    return output.json ? formatJson(data) : formatLink(data, output);
  },
  async cancel(ask, args) {
    const { id, output } = parseLinkArguments(args);
    const data = dataOf(await ask({ method: 'POST', path: `/${id}/cancel` }));
    return output.json ? formatJson(data) : formatLink(data, output);
  },
};
