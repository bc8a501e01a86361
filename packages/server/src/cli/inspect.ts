import {
  decodeTransaction,
  summarizeTransaction,
  TransactionDecodeError,
  type TransactionSummary,
} from 'splwright-core';
import { hashMessage, messageHashText } from '../app/message-hash.ts';
import { formatTable } from '../app/table.ts';
import { describeAccounts, describeByteCount, describeBytes, toHex } from '../outcomes/transaction-words.ts';
import { describeTransaction, readTransactionBytes, warningsOf } from '../transfers/words/describe-transaction.ts';
import { describeWarning } from '../transfers/words/warning-words.ts';
import type { CommandContext } from './command.ts';

// Written as \u escapes in JSON: the same text, but it cannot disturb a terminal.
const disturbing = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
