import { readFileSync } from 'node:fs';
import {
  type LinkTerms,
  type TransferPath,
  VerificationError,
  type VerifyTransferOptions,
  verifyBatch,
  verifyLink,
  verifyTransfer,
} from 'splwright-client/verify';
import { visibleText } from '../app/visible-text.ts';
import { parseStrictly, UsageError } from './parse-arguments.ts';

/** The input and output of the command. */
export interface VerifyContext {
  arguments: readonly string[];
  /** Reads standard input to its end. */
  readInput: () => Promise<string>;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const usage = `usage: splwright verify --request <file> [--reply <file>] [options]

Compares the transactions of a reply with the request, and says what they do. Sign nothing that is refused here.

  --request <file>                 the JSON body as it was posted; for a payment link its terms: account, to_address,
                                   token_mint_address, amount or amount_decimal, memo, reference
  --reply <file>                   the JSON body as it was received; without it, standard input is read
  --operation <path>               the path that was called; without it the shape of the reply tells
  --decimals <number>              the decimals of the mint
  --token-program <address>        the token program of the mint
  --lifetime-token <text>          the blockhash or nonce: the header Solana-Blockhash of the reply
  --sponsor <address>              a fee payer that may have signed already
  --max-priority-fee <lamports>    the most that the priority fee of a transaction may cost; 1000000 by default
  --max-batch-priority-fee <lamports>  the most for all transactions of a batch; 10000000 by default
  --allow-more-transactions        accepts a batch in over a third more transactions than its payments need
  --current-block-height <number>  of a node that you trust: last_valid_block_height must be within 160 of it
  --allow-transfer-hook            accepts a mint that calls a program on each transfer
  --json                           prints JSON

Exit status: 0 if the transactions do exactly what the request says, 1 if they do not, 2 for wrong usage.
`;

const paths: readonly TransferPath[] = [
  '/v1/transfers',
  '/v1/token-transfer-memo-hash',
  '/v1/create-token-account-transfer',
];
const batchPath = '/v1/transfers/batch';

interface VerifyInput {
  request: object;
  reply: unknown;
  options: VerifyTransferOptions;
  isJson: boolean;
}

/** What was verified. */
interface Verified {
  sentence: string;
  /** To be signed, and no other bytes. */
  transactions: readonly Uint8Array[];
  unknown: readonly string[];
}

/**
 * Verifies a reply. Resolves with the exit status: 0 when its transactions do exactly what the request says, 1 when they do not,
 * 2 for wrong usage.
 */
export async function runVerify(context: VerifyContext): Promise<number> {
  const { stdout, stderr } = context;
  let input: VerifyInput | undefined;
  try {
    input = await readInput(context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr(`splwright verify: ${error.message}\n\n${usage}`);
    return 2;
  }
  if (!input) {
    stdout(usage);
    return 0;
  }
  try {
    const { sentence, transactions, unknown } = await verify(input);
    if (input.isJson) {
      const encoded = transactions.map((bytes) => Buffer.from(bytes).toString('base64'));
      stdout(formatJson({ verified: true, sentence, transactions: encoded, unknown }));
      return 0;
    }
    stdout(`${visibleText(sentence)}\n`);
    if (unknown.length > 0) stderr(`not compared, since no option says it: ${unknown.join(', ')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    const { code, part, expected, actual } = error;
    if (input.isJson) stdout(formatJson({ verified: false, code, part, expected, actual }));
    else stderr(describeDifference(error));
    return 1;
  }
}

async function readInput(context: VerifyContext): Promise<VerifyInput | undefined> {
  const { values } = parseStrictly({
    args: [...context.arguments],
    options: {
      request: { type: 'string' },
      reply: { type: 'string' },
      operation: { type: 'string' },
      decimals: { type: 'string' },
      'token-program': { type: 'string' },
      'lifetime-token': { type: 'string' },
      sponsor: { type: 'string' },
      'max-priority-fee': { type: 'string' },
      'max-batch-priority-fee': { type: 'string' },
      'allow-more-transactions': { type: 'boolean' },
      'current-block-height': { type: 'string' },
      'allow-transfer-hook': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  if (values.request === undefined) throw new UsageError('--request is missing');
  const request = parseJson(readText(values.request), values.request);
  if (typeof request !== 'object' || request === null) throw new UsageError(`${values.request} has no JSON object`);
  const reply =
    values.reply === undefined
      ? parseJson(await context.readInput(), 'standard input')
      : parseJson(readText(values.reply), values.reply);
  const height = values['current-block-height'];
  const options: VerifyTransferOptions = {
    operation: readOperation(values.operation, request),
    decimals: values.decimals === undefined ? undefined : Number(readDigits('--decimals', values.decimals)),
    tokenProgram: values['token-program'],
    lifetimeToken: values['lifetime-token'],
    sponsor: values.sponsor,
    maxPriorityFeeLamports: readDigits('--max-priority-fee', values['max-priority-fee'] ?? '1000000'),
    maxBatchPriorityFeeLamports: readDigits('--max-batch-priority-fee', values['max-batch-priority-fee'] ?? '10000000'),
    allowMoreTransactions: values['allow-more-transactions'],
    currentBlockHeight: height === undefined ? undefined : readDigits('--current-block-height', height),
    allowTransferHook: values['allow-transfer-hook'],
  };
  return { request, reply, options, isJson: values.json === true };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} has no JSON`);
  }
}

function readOperation(path: string | undefined, request: object): TransferPath | undefined {
  if (path === undefined || (path === batchPath && isBatch(request))) return undefined;
  const operation = paths.find((each) => each === path);
  if (operation) return operation;
  throw new UsageError(`--operation must be one of ${[...paths, batchPath].join(', ')}, with a request for it`);
}

function readDigits(option: string, text: string): bigint {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text);
  throw new UsageError(`${option} must be a whole number and is ${JSON.stringify(text)}`);
}

async function verify({ request, reply, options }: VerifyInput): Promise<Verified> {
  if (isBatch(request)) {
    const { transactions, sentence } = await verifyBatch(request, reply, options);
    const bytes = transactions.map(({ transaction }) => transaction);
    return { sentence, transactions: bytes, unknown: transactions[0]?.unknown ?? [] };
  }
  const { transaction, sentence, unknown } = isLink(request)
    ? await verifyLink(request, String(Object(reply).transaction), options)
    : await verifyTransfer(request, reply, options);
  return { sentence, transactions: [transaction], unknown };
}

function isBatch(request: object): boolean {
  return 'transfers' in request;
}

// What the members hold, verification checks.
function isLink(request: object): request is LinkTerms {
  return 'account' in request && 'reference' in request;
}

function formatJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function describeDifference({ code, part, expected, actual }: VerificationError): string {
  const rows = [
    ['code', code],
    ['where', part],
    ['expected', expected],
    ['found', actual],
  ].map(([name = '', text = '']) => `${name.padEnd(8)}  ${visibleText(text)}\n`);
  return `splwright verify: do not sign this, it does not do what the request says\n\n${rows.join('')}`;
}
