import {
  decodeBase58,
  summarizeTransaction,
  type TransactionSummary,
  transactionSizeLimit,
  type Warning,
  warnOfMemo,
  warnOfNonce,
} from 'splwright-core';
import { describeInstruction, type Names, nameAddress } from '../../outcomes/transaction-words.ts';
import { describeWarning } from './warning-words.ts';

// A transaction has at most 4,096 bytes; a reply of the service around that many integers has less than 17,000 characters.
const maxTextLength = 20_000;

/**
 * Reads a transaction written as base64, base58, hex or a JSON array, or a reply of the service around it.
 *
 * A text that is valid in two encodings is read in the one that gives a transaction. Returns `undefined` for what is none of them.
 */
export function readTransactionBytes(text: string): Uint8Array | undefined {
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

/** The warnings that need only the bytes; the others are about accounts on chain. */
export function warningsOf({ instructions }: TransactionSummary): readonly Warning[] {
  return instructions.flatMap((instruction, index) => {
    if (instruction.kind === 'memo') return warnOfMemo(instruction.text);
    const isLifetime = instruction.kind === 'advance_nonce_account' && index === 0;
    return isLifetime ? warnOfNonce(instruction.nonceAccount) : [];
  });
}

function versionName(version: TransactionSummary['version']): string {
  return version === 'legacy' ? 'legacy' : `version ${version}`;
}
