import { parseStrictly, UsageError } from '../parse-arguments.ts';

/** A link to make: the body of the request, and how to ask for it. */
export interface CreateArguments {
  body: Readonly<Record<string, string | number | boolean>>;
  idempotencyKey: string | undefined;
  output: OutputOptions;
}

/** How a reply is shown. */
interface OutputOptions {
  json: boolean;
  qr: boolean;
}

const outputOptions = { json: { type: 'boolean' }, 'no-qr': { type: 'boolean' } } as const;

/** The options that are texts of the request, by the name of its field. */
const textFields = {
  to: 'to_address',
  mint: 'token_mint_address',
  amount: 'amount',
  'amount-decimal': 'amount_decimal',
  'amount-min': 'amount_min',
  'amount-max': 'amount_max',
  label: 'label',
  memo: 'memo',
  message: 'message',
  icon: 'icon',
  redirect: 'redirect',
} as const;

const text = { type: 'string' } as const;

/** Reads the arguments of `links create`; what a value must be is the service's to say. Throws a `UsageError`. */
export function parseCreateArguments(args: readonly string[]): CreateArguments {
  const { values } = parseStrictly({
    args: [...args],
    options: {
      to: text,
      mint: text,
      amount: text,
      'amount-decimal': text,
      'amount-min': text,
      'amount-max': text,
      label: text,
      memo: text,
      message: text,
      icon: text,
      redirect: text,
      'expires-in': text,
      many: { type: 'boolean' },
      'allow-off-curve-recipient': { type: 'boolean' },
      'idempotency-key': text,
      ...outputOptions,
    },
  });
  for (const name of ['to', 'mint', 'label'] as const) {
    if (values[name] === undefined) throw new UsageError(`--${name} is missing`);
  }
  const isFixed = values.amount !== undefined || values['amount-decimal'] !== undefined;
  if (!isFixed && (values['amount-min'] === undefined || values['amount-max'] === undefined)) {
    throw new UsageError('--amount or --amount-decimal is missing, or --amount-min and --amount-max');
  }
  if (/[.,]/.test(values.amount ?? '')) {
    throw new UsageError(`--amount counts base units: for whole tokens say --amount-decimal ${values.amount}`);
  }
  const idempotencyKey = values['idempotency-key'];
  if (idempotencyKey !== undefined && !/^[!-~]+$/.test(idempotencyKey)) {
    throw new UsageError('--idempotency-key must be visible ASCII characters');
  }
  const body: Record<string, string | number | boolean> = {};
  for (const [option, field] of Object.entries(textFields)) {
    const value = Object.entries(values).find(([name]) => name === option)?.[1];
    if (typeof value === 'string') body[field] = value;
  }
  if (values['expires-in'] !== undefined) body.expires_in = secondsOf(values['expires-in']);
  if (values.many === true) body.single_use = false;
  if (values['allow-off-curve-recipient'] === true) body.allow_off_curve_recipient = true;
  return { body, idempotencyKey, output: outputOf(values) };
}

/** Reads the arguments of `links list`: the query of the request. Throws a `UsageError`. */
export function parseListArguments(args: readonly string[]): { query: URLSearchParams; output: OutputOptions } {
  const { values } = parseStrictly({ args: [...args], options: { limit: text, cursor: text, ...outputOptions } });
  const query = new URLSearchParams();
  if (values.limit !== undefined) query.set('limit', values.limit);
  if (values.cursor !== undefined) query.set('cursor', values.cursor);
  return { query, output: outputOf(values) };
}

/** Reads the arguments of `links show` and `links cancel`: the id, also out of a link's URL. Throws a `UsageError`. */
export function parseLinkArguments(args: readonly string[]): { id: string; output: OutputOptions } {
  const { values, positionals } = parseStrictly({ args: [...args], options: outputOptions, allowPositionals: true });
  const [given, ...others] = positionals;
  if (given === undefined || others.length > 0) throw new UsageError('give one id, or the URL of a link');
  const id = /(?:^|\/pay\/)([1-9A-HJ-NP-Za-km-z]{16})$/.exec(given)?.[1];
  if (id === undefined) {
    throw new UsageError(`${JSON.stringify(given)} is no id of a payment link, which has 16 characters`);
  }
  return { id, output: outputOf(values) };
}

function outputOf(values: { json?: boolean; 'no-qr'?: boolean }): OutputOptions {
  return { json: values.json === true, qr: values['no-qr'] !== true };
}

const secondsPerUnit: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

function secondsOf(duration: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,8})([smhd])$/.exec(duration) ?? [];
  const seconds = secondsPerUnit.get(unit);
  if (seconds !== undefined) return Number(count) * seconds;
  throw new UsageError(`--expires-in cannot be ${JSON.stringify(duration)}: it is a time such as 7d, 12h, 30m or 90s`);
}
