import {
  decodeBase58,
  decodeTransaction,
  summarizeTransaction,
  TransactionDecodeError,
  type TransactionSummary,
  transactionSizeLimit,
  type Warning,
  warnOfMemo,
  warnOfNonce,
} from 'splwright-core';
import { hashMessage, messageHashText } from '../app/message-hash.ts';
import { formatTable } from '../app/table.ts';
import {
  describeAccounts,
  describeByteCount,
  describeBytes,
  describeInstruction,
  type Names,
  nameAddress,
  toHex,
} from '../outcomes/transaction-words.ts';
import { describeWarning } from '../transfers/words/warning-words.ts';
import type { CommandContext } from './command.ts';

// Written as \u escapes in JSON: the same text, but it cannot disturb a terminal.
const disturbing = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

// A transaction has at most 4,096 bytes; a reply of the service around that many integers has less than 17,000 characters.
const maxTextLength = 20_000;

/** What is shown in addition to the words, and how. */
export interface InspectOptions {
  bytes?: true;
  json?: true;
}

/** Describes a transaction in words. Resolves with the exit status: 0, or 1 when the bytes are no transaction. */
export async function runInspect(
  argument: string | undefined,
  options: InspectOptions,
  context: CommandContext,
): Promise<number> {
  const text = (argument ?? (await context.input.read())).trim();
  const bytes = readTransactionBytes(text);
  if (bytes === undefined) {
    context.stderr('splwright inspect: the text is not a JSON array of bytes, base64, base58 or hex\n');
    return 1;
  }
  try {
    context.stdout(options.json ? formatJson(inspectionJson(bytes, options)) : inspectionText(bytes, options));
    return 0;
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error;
    const reason = describeByteCount(bytes) ?? error.message;
    context.stderr(`splwright inspect: these ${bytes.length} bytes are not a transaction: ${reason}\n`);
    return 1;
  }
}

function inspectionText(bytes: Uint8Array, options: InspectOptions): string {
  const summary = summarizeTransaction(bytes);
  const lines = [...describeTransaction(summary), `message hash, as hardware wallets show it: ${messageHashIn(bytes)}`];
  const text = `${lines.join('\n')}\n\n${formatAccounts(summary)}`;
  return options.bytes ? `${text}\n${formatBytes(bytes)}` : text;
}

function inspectionJson(bytes: Uint8Array, options: InspectOptions): unknown {
  const summary = summarizeTransaction(bytes);
  const warnings = warningsOf(summary).map(describeWarning);
  return toJson({
    messageHash: messageHashIn(bytes),
    ...summary,
    warnings,
    ...(options.bytes && { bytes: describeBytes(bytes) }),
  });
}

function messageHashIn(bytes: Uint8Array): string {
  return messageHashText(hashMessage(decodeTransaction(bytes).message));
}

// In the style of the API: names with underscores, amounts as texts, bytes in hex.
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toJson(member),
  ]);
  return Object.fromEntries(members);
}

// A text that is valid in two encodings is read in the one that gives a transaction.
function readTransactionBytes(text: string): Uint8Array | undefined {
  if (text === '' || text.length > maxTextLength) return undefined;
  if (/^[[{]/.test(text)) return readJsonBytes(text);
  if (/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(text)) return Buffer.from(text.replace(/^0x/i, ''), 'hex');
  const candidates = [decodeBase58Text(text), decodeBase64Text(text)].filter((bytes) => bytes !== undefined);
  return candidates.find(isTransaction) ?? candidates[0];
}

function readJsonBytes(text: string): Uint8Array | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // A reply holds the transaction in `data`, or in `data.transaction`.
  for (const member of ['data', 'transaction']) {
    if (isObject(value) && member in value) value = value[member];
  }
  if (typeof value === 'string') return readTransactionBytes(value);
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

function decodeBase58Text(text: string): Uint8Array | undefined {
  const decoded = decodeBase58(text);
  return 'bytes' in decoded ? decoded.bytes : undefined;
}

function decodeBase64Text(text: string): Uint8Array | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function isTransaction(bytes: Uint8Array): boolean {
  try {
    summarizeTransaction(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Describes a transaction in words, one line for each fact. */
export function describeTransaction(summary: TransactionSummary, names: Names = new Map()): string[] {
  const named = (address: string): string => nameAddress(address, names);
  const { config } = summary;
  const signed = `${summary.signatureCount} of ${summary.signers.length} signed`;
  return [
    `${versionName(summary.version)} message, ${summary.byteLength} of ${transactionSizeLimit(summary.version)} bytes, ${signed}`,
    `fee payer  ${named(summary.feePayer)}`,
    ...summary.signers.slice(1).map((signer) => `signer     ${named(signer)}`),
    `${summary.instructions[0]?.kind === 'advance_nonce_account' ? 'nonce    ' : 'blockhash'}  ${summary.blockhash}`,
    ...(config
      ? [
          `limits     ${config.computeUnitLimit} compute units, ${config.loadedAccountsDataSizeLimit} bytes of accounts`,
          `priority   ${config.priorityFee} lamports`,
        ]
      : []),
    ...summary.instructions.flatMap((instruction, index) => {
      const [first = '', ...rest] = describeInstruction(instruction, named);
      return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)];
    }),
    ...warningsOf(summary)
      .map(describeWarning)
      .map(({ level, detail }) => `${level.padEnd(10)} ${detail}`),
  ];
}

// The warnings that need only the bytes; the others are about accounts on chain.
function warningsOf({ instructions }: TransactionSummary): readonly Warning[] {
  return instructions.flatMap((instruction, index) => {
    if (instruction.kind === 'memo') return warnOfMemo(instruction.text);
    const isLifetime = instruction.kind === 'advance_nonce_account' && index === 0;
    return isLifetime ? warnOfNonce(instruction.nonceAccount) : [];
  });
}

function versionName(version: TransactionSummary['version']): string {
  return version === 'legacy' ? 'legacy' : `version ${version}`;
}

/** Returns the accounts of a transaction as a table: index, address, rights and use of each. */
function formatAccounts(summary: TransactionSummary): string {
  const rows = describeAccounts(summary).map((words, index) => [String(index), ...words]);
  return formatTable([['#', 'account', 'signs', 'writable', 'what it is'], ...rows]);
}

/** Returns the bytes of a transaction as a table: which they are, what they are a part of, and what they say. */
function formatBytes(bytes: Uint8Array): string {
  const rows = describeBytes(bytes).map(({ offset, length, title, name, instruction }) => [
    length === 1 ? String(offset) : `${offset}-${offset + length - 1}`,
    instruction === undefined ? title : `instruction ${instruction + 1}`,
    name,
  ]);
  return formatTable([['bytes', 'part', 'what it is'], ...rows]);
}

/** Returns a value as one line of JSON, in which nothing is invisible. */
function formatJson(value: unknown): string {
  const escaped = JSON.stringify(value).replaceAll(disturbing, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
  return `${escaped}\n`;
}
