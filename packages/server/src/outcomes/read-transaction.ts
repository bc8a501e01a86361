import {
  decodeBase58,
  type IntentFault,
  readTransferIntent,
  type TransferIntent,
  transactionSizeLimit,
} from 'splwright-core';
import { describeType } from '../app/read-shape.ts';
import type { ProblemCode } from '../problems.ts';
import { describeByteCount } from './byte-words.ts';

/** What is wrong with a transaction of a request: `entry` is the index in an array of bytes, and `what` goes on after the name. */
export interface TransactionFault {
  code: Extract<ProblemCode, 'wrong_type' | 'invalid_transaction' | 'not_a_transfer'>;
  entry?: number;
  what: string;
}

const maxByteLength = transactionSizeLimit(1);
const maxBase64Length = Math.ceil(maxByteLength / 3) * 4;
// 256 in digits of 58, rounded up.
const maxBase58Length = Math.ceil((maxByteLength * Math.log(256)) / Math.log(58));

const remedy = 'Send the transaction as it was built or as it was signed';

/**
 * Reads a transaction in any encoding: an array of bytes, or a text in base64 or base58.
 *
 * A text that could be both is base64 if that is a transaction, otherwise base58. Nothing longer than a transaction is decoded.
 */
export function readTransaction(value: unknown): { intent: TransferIntent } | { fault: TransactionFault } {
  if (Array.isArray(value)) return readByteArray(value);
  if (typeof value === 'string') return readText(value);
  const what = `is ${describeType(value)} and must be an array of bytes, or a text in base64 or base58`;
  return { fault: { code: 'wrong_type', what } };
}

function readByteArray(values: readonly unknown[]): ReturnType<typeof readTransaction> {
  if (values.length > maxByteLength) return tooLong(`has ${values.length} bytes`);
  const bytes = new Uint8Array(values.length);
  for (const [entry, value] of values.entries()) {
    if (!isByte(value)) {
      const shown = typeof value === 'number' ? String(value) : describeType(value);
      return { fault: { code: 'wrong_type', entry, what: `is ${shown} and must be an integer from 0 to 255` } };
    }
    bytes[entry] = value;
  }
  const read = readTransferIntent(bytes);
  return 'intent' in read ? read : { fault: describeIntentFault(read.fault, bytes) };
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

function readText(text: string): ReturnType<typeof readTransaction> {
  if (text.length > maxBase58Length) return tooLong(`has ${text.length} characters`);
  const faults: { fault: IntentFault; bytes: Uint8Array }[] = [];
  for (const decode of [fromBase64, fromBase58]) {
    const bytes = decode(text);
    if (bytes === undefined) continue;
    const read = readTransferIntent(bytes);
    if ('intent' in read) return read;
    faults.push({ fault: read.fault, bytes });
  }
  // Bytes that are a transaction, or known to be something else, decide the encoding, whatever is wrong with them otherwise.
  const decisive = faults.find(
    ({ fault, bytes }) => fault.kind !== 'not_a_transaction' || describeByteCount(bytes) !== undefined,
  );
  const found = decisive ?? faults[0];
  if (found) return { fault: describeIntentFault(found.fault, found.bytes) };
  const what = `is neither base64 (with its padding) nor base58. ${remedy}`;
  return { fault: { code: 'invalid_transaction', what } };
}

// Buffer skips what is not base64 and takes the end without its padding: only a text that is written back the same is base64.
function fromBase64(text: string): Uint8Array | undefined {
  if (text.length > maxBase64Length) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function fromBase58(text: string): Uint8Array | undefined {
  const decoded = decodeBase58(text);
  return 'bytes' in decoded ? decoded.bytes : undefined;
}

function tooLong(size: string): { fault: TransactionFault } {
  const what = `${size}; a transaction has at most ${maxByteLength} bytes. ${remedy}`;
  return { fault: { code: 'invalid_transaction', what } };
}

function describeIntentFault(fault: IntentFault, bytes: Uint8Array): TransactionFault {
  const other = describeByteCount(bytes);
  switch (fault.kind) {
    case 'not_a_transaction':
      if (other) return { code: 'invalid_transaction', what: `has ${bytes.length} bytes, ${other}. ${remedy}` };
      return { code: 'invalid_transaction', what: `is not a transaction: ${fault.reason}. ${remedy}` };
    case 'no_transfer':
      return { code: 'not_a_transfer', what: 'has no TransferChecked instruction of SPL Token or Token-2022' };
    case 'several_sources':
      return {
        code: 'not_a_transfer',
        what: 'has transfers from several token accounts: only those of one sender can be found',
      };
    case 'several_mints':
      return { code: 'not_a_transfer', what: 'has transfers of several mints: only those of one mint can be found' };
  }
}
