import { readFileSync } from 'node:fs';
import {
  type LinkTerms,
  type TransferPath,
  VerificationError,
  type VerifiedTransfer,
  type VerifyTransferOptions,
  verifyBatch,
  verifyLink,
  verifyTransfer,
} from 'splwright-client/verify';
import { visibleText } from '../app/visible-text.ts';
import type { CommandContext } from './command.ts';
import { UsageError } from './command.ts';

/** The options of the command, as they stand on the command line. */
export interface VerifyOptions {
  request: string;
  reply?: string;
  operation?: string;
  decimals?: string;
  tokenProgram?: string;
  lifetimeToken?: string;
  sponsor?: string;
  maxPriorityFee: string;
  maxBatchPriorityFee: string;
  allowMoreTransactions?: true;
  currentBlockHeight?: string;
  allowTransferHook?: true;
  json?: true;
}

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
}

interface Verified {
  sentence: string;
  /** To be signed, and no other bytes. */
  transactions: readonly Pick<VerifiedTransfer, 'transaction' | 'messageHash'>[];
  unknown: readonly string[];
}

/**
 * Verifies a reply. Resolves with the exit status: 0 when its transactions do exactly what the request says, 1 when they do not.
 * Throws a `UsageError` for files and values that cannot be read.
 */
export async function runVerify(given: VerifyOptions, context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  const input = await readInput(given, context);
  try {
    const { sentence, transactions, unknown } = await verify(input);
    if (given.json) {
      const encoded = transactions.map(({ transaction }) => Buffer.from(transaction).toString('base64'));
      const hashes = transactions.map(({ messageHash }) => messageHash);
      stdout(formatJson({ verified: true, sentence, transactions: encoded, message_hashes: hashes, unknown }));
      return 0;
    }
    stdout(`${visibleText(sentence)}\n`);
    for (const { messageHash } of transactions) stdout(`hardware wallets show the message hash ${messageHash}\n`);
    if (unknown.length > 0) stderr(`not compared, since no option says it: ${unknown.join(', ')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    const { code, part, expected, actual } = error;
    if (given.json) stdout(formatJson({ verified: false, code, part, expected, actual }));
    else stderr(describeDifference(error));
    return 1;
  }
}

async function readInput(given: VerifyOptions, { input }: CommandContext): Promise<VerifyInput> {
  const request = parseJson(readText(given.request), given.request);
  if (typeof request !== 'object' || request === null) throw new UsageError(`${given.request} has no JSON object`);
  const reply =
    given.reply === undefined
      ? parseJson(await input.read(), 'standard input')
      : parseJson(readText(given.reply), given.reply);
  const options: VerifyTransferOptions = {
    operation: readOperation(given.operation, request),
    decimals: given.decimals === undefined ? undefined : Number(readDigits('--decimals', given.decimals)),
    tokenProgram: given.tokenProgram,
    lifetimeToken: given.lifetimeToken,
    sponsor: given.sponsor,
    maxPriorityFeeLamports: readDigits('--max-priority-fee', given.maxPriorityFee),
    maxBatchPriorityFeeLamports: readDigits('--max-batch-priority-fee', given.maxBatchPriorityFee),
    allowMoreTransactions: given.allowMoreTransactions,
    currentBlockHeight:
      given.currentBlockHeight === undefined
        ? undefined
        : readDigits('--current-block-height', given.currentBlockHeight),
    allowTransferHook: given.allowTransferHook,
  };
  return { request, reply, options };
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
    const { transactions, pending, sentence } = await verifyBatch(request, reply, options);
    const all = [...pending, ...transactions];
    return { sentence, transactions: all, unknown: all[0]?.unknown ?? [] };
  }
  const verified = isLink(request)
    ? await verifyLink(request, Object(reply), options)
    : await verifyTransfer(request, reply, options);
  return { ...verified, transactions: [verified] };
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
