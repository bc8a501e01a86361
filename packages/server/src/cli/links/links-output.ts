import { formatAmount } from 'splwright-core';
import { visibleText } from '../../app/visible-text.ts';
import { qrTerminal } from '../../pages/qr-code.ts';
import { ownCommand } from '../own-command.ts';
import { RefusedError } from '../parse-arguments.ts';
import { formatTable } from '../table.ts';

/** The texts of a link by their names in the API, and its payments. */
interface ShownLink {
  text: (name: string) => string;
  has: (name: string) => boolean;
  decimals: number;
  payments: readonly ShownLink['text'][];
}

/** Returns the `data` of a reply. Throws a `RefusedError` when the reply has none. */
export function dataOf(reply: object): unknown {
  if ('data' in reply) return reply.data;
  throw unexpected();
}

/** Returns a link as lines, with `qr` its QR code while it can be paid. Throws a `RefusedError` when the data is not a link. */
export function formatLink(data: unknown, qr: boolean): string {
  const link = readLink(data);
  const { text, has } = link;
  const state = text('state') === 'open' ? `open until ${text('expires_at')}` : text('state');
  const lines = [
    ['id', text('id')],
    ['state', state],
    ['amount', amountOf(link)],
    ['token', text('token_mint_address')],
    ['to', text('to_address')],
    ['label', text('label')],
    ...['message', 'memo', 'redirect'].filter(has).map((name) => [name, text(name)]),
    ...['payer', 'signature'].filter(has).map((name) => [name, text(name)]),
    ...link.payments.map((payment) => ['payment', describePayment(payment, link.decimals)]),
    ['URL', text('url')],
  ];
  // Bounds need a page on which the payer chooses.
  const code = qr && text('state') === 'open' ? `\n${qrTerminal(text(has('amount') ? 'solana_pay_url' : 'url'))}` : '';
  return formatTable(lines) + code;
}

/** Returns a table of links, and how to see the next page. Throws a `RefusedError` when the reply is not a list of links. */
export function formatLinks(reply: object): string {
  const data = dataOf(reply);
  if (!Array.isArray(data)) throw unexpected();
  const rows = data.map((each: unknown) => {
    const link = readLink(each);
    const { text, has } = link;
    return [
      text('id'),
      text('state'),
      amountOf(link),
      text('created_at'),
      text('label'),
      has('payer') ? text('payer') : '',
    ];
  });
  const table = formatTable([['ID', 'STATE', 'AMOUNT', 'CREATED', 'LABEL', 'PAYER'], ...rows]);
  const cursor = 'next_cursor' in reply && typeof reply.next_cursor === 'string' ? reply.next_cursor : undefined;
  return cursor === undefined
    ? table
    : `${table}More: ${ownCommand('links', `list --cursor ${visibleText(cursor)}`)}\n`;
}

function amountOf({ text, has, decimals }: ShownLink): string {
  const token = has('token_symbol') ? ` ${text('token_symbol')}` : '';
  const tokens = (name: string): string => tokensOf(text(name), decimals);
  return has('amount') ? `${tokens('amount')}${token}` : `${tokens('amount_min')} to ${tokens('amount_max')}${token}`;
}

function describePayment(text: ShownLink['text'], decimals: number): string {
  const flaw = text('flaw') === '' ? '' : `, does not count: ${text('flaw').replaceAll('_', ' ')}`;
  return `${tokensOf(text('amount'), decimals)} from ${text('payer')}, ${text('commitment')}${flaw}, ${text('signature')}`;
}

function tokensOf(baseUnits: string, decimals: number): string {
  if (!/^[0-9]{1,20}$/.test(baseUnits)) throw unexpected();
  return formatAmount(BigInt(baseUnits), decimals);
}

function readLink(data: unknown): ShownLink {
  if (typeof data !== 'object' || data === null) throw unexpected();
  const members = new Map<string, unknown>(Object.entries(data));
  const decimals = members.get('decimals');
  const payments = members.get('payments');
  const isWhole = ['id', 'state', 'url', 'solana_pay_url'].every((name) => typeof members.get(name) === 'string');
  if (!isWhole || typeof decimals !== 'number' || !Array.isArray(payments)) throw unexpected();
  return {
    text: textsOf(members),
    has: (name) => typeof members.get(name) === 'string',
    decimals,
    payments: payments.map((payment: unknown) => {
      if (typeof payment !== 'object' || payment === null) throw unexpected();
      return textsOf(new Map<string, unknown>(Object.entries(payment)));
    }),
  };
}

// Texts of a link could forge lines of this output, or reverse their direction.
function textsOf(members: ReadonlyMap<string, unknown>): (name: string) => string {
  return (name) => {
    const value = members.get(name);
    return typeof value === 'string' ? visibleText(value) : '';
  };
}

function unexpected(): RefusedError {
  return new RefusedError('The reply is not that of this version of the service. Check SPLWRIGHT_URL.');
}
