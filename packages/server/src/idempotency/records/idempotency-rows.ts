import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib';
import type { IdempotentRequestRow } from '../../store/schema/tables.ts';
import type { BuiltRecord, BuiltReply, BuiltTransaction, LandedTransaction } from '../idempotency-store.ts';

/** The columns that only a stored reply has. */
export type ReplyColumns = Pick<IdempotentRequestRow, 'reply' | 'reply_headers' | 'transactions' | 'packed_reply'>;

/** The columns of a request without a stored reply. */
export const noReply: ReplyColumns = { reply: null, reply_headers: null, transactions: null, packed_reply: null };

/** Returns the column of what landed. */
export function landedToColumn(landed: readonly LandedTransaction[]): string | null {
  if (landed.length === 0) return null;
  const described = landed.map(({ transfers, signature, slot, blockTime, messageHash }) => ({
    transfers,
    signature,
    slot: slot.toString(),
    block_time: blockTime?.toString() ?? null,
    message_hash: messageHash,
  }));
  return JSON.stringify(described);
}

/** Reads the row of a stored reply. Throws when another program has written something else there. */
export async function toBuiltRecord(row: IdempotentRequestRow): Promise<BuiltRecord> {
  const { attempt, started_at: startedAt } = row;
  return { attempt, startedAt, ...(await toBuiltReply(row)), landed: toLanded(row.landed) };
}

/** Reads the column of what landed. Throws when another program has written something else there. */
export function toLanded(column: string | null): readonly LandedTransaction[] {
  if (column === null) return [];
  const value = parseJson(column);
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map(readLanded);
}

async function toBuiltReply({ reply, reply_headers, transactions, packed_reply }: ReplyColumns): Promise<BuiltReply> {
  // A version before step 13 of the schema has stored this one, and does not clear what it does not know.
  if (reply !== null) {
    const headers = readHeaders(parseJson(reply_headers ?? ''));
    return { reply, headers, transactions: readTransactions(reply, parseJson(transactions ?? '')) };
  }
  if (packed_reply === null) throw unreadable();
  return unpackReply(packed_reply);
}

function readLanded(value: unknown): LandedTransaction {
  if (typeof value !== 'object' || value === null) throw unreadable();
  if (!('transfers' in value && 'signature' in value && 'slot' in value)) throw unreadable();
  if (!('block_time' in value && 'message_hash' in value)) throw unreadable();
  const slot = readInteger(value.slot);
  if (slot === null) throw unreadable();
  return {
    transfers: readIndices(value.transfers),
    signature: readText(value.signature),
    slot,
    blockTime: readInteger(value.block_time),
    messageHash: readText(value.message_hash),
  };
}

// The fastest level of Brotli: the size of deflate in a third of its time, for large replies. Zstandard is experimental in Node.
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
/** What is larger is compressed on another thread: this takes less time than a message to it. */
const maxSyncBytes = 8_192;
const compressElsewhere = promisify(brotliCompress);
const decompressElsewhere = promisify(brotliDecompress);

/** A transaction as it is stored beside its reply. */
interface TransactionJson {
  last_valid_block_height: string | null;
  transfers?: readonly number[];
  /** Where the reply has its bytes, in UTF-16 code units, and how they are written there. */
  at?: number;
  length?: number;
  encoding?: 'base64' | 'numbers';
  /** In base64; only where the reply has its bytes in neither of these encodings. */
  transaction?: string;
}

/**
 * Returns the bytes in which a reply is stored.
 *
 * Compressed, they are a line of JSON with what the reply does not say, and then the text of the reply as it is.
 */
export async function packReply({ reply, headers, transactions }: BuiltReply): Promise<Uint8Array> {
  let from = 0;
  const described = transactions.map((transaction) => {
    const found = describeTransaction(transaction, reply, from);
    from = (found.at ?? from) + (found.length ?? 0);
    return found;
  });
  const bytes = Buffer.from(`${JSON.stringify({ headers, transactions: described })}\n${reply}`);
  return bytes.length > maxSyncBytes ? compressElsewhere(bytes, options) : brotliCompressSync(bytes, options);
}

/** Returns the reply that `packReply` has stored in these bytes. Throws when another program has written something else there. */
export async function unpackReply(packed: Uint8Array): Promise<BuiltReply> {
  const text = await unpack(packed);
  const end = text.indexOf('\n');
  if (end === -1) throw unreadable();
  const reply = text.slice(end + 1);
  const described = parseJson(text.slice(0, end));
  if (typeof described !== 'object' || described === null) throw unreadable();
  if (!('headers' in described && 'transactions' in described)) throw unreadable();
  return {
    reply,
    headers: readHeaders(described.headers),
    transactions: readTransactions(reply, described.transactions),
  };
}

/** Reads the stored transactions of a reply. Throws when another program has written something else there. */
function readTransactions(reply: string, value: unknown): readonly BuiltTransaction[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map((transaction: unknown) => {
    if (typeof transaction !== 'object' || transaction === null) throw unreadable();
    if (!('last_valid_block_height' in transaction)) throw unreadable();
    return {
      bytes: readBytes(reply, transaction),
      lastValidBlockHeight: readInteger(transaction.last_valid_block_height) ?? undefined,
      ...('transfers' in transaction && { transfers: readIndices(transaction.transfers) }),
    };
  });
}

async function unpack(packed: Uint8Array): Promise<string> {
  try {
    const bytes = packed.length > maxSyncBytes ? await decompressElsewhere(packed) : brotliDecompressSync(packed);
    return bytes.toString();
  } catch {
    throw unreadable();
  }
}

function describeTransaction(
  { bytes, lastValidBlockHeight, transfers }: BuiltTransaction,
  reply: string,
  from: number,
): TransactionJson {
  const height = lastValidBlockHeight?.toString() ?? null;
  const others = { last_valid_block_height: height, ...(transfers && { transfers }) };
  const base64 = toBase64(bytes);
  const at = reply.indexOf(base64, from);
  if (at !== -1) return { ...others, at, length: base64.length, encoding: 'base64' };
  const numbers = bytes.join();
  const numbersAt = reply.indexOf(numbers, from);
  if (numbersAt !== -1) return { ...others, at: numbersAt, length: numbers.length, encoding: 'numbers' };
  return { ...others, transaction: base64 };
}

function readBytes(reply: string, transaction: object): Uint8Array {
  if ('transaction' in transaction) return fromBase64(readText(transaction.transaction));
  if (!('at' in transaction && 'length' in transaction && 'encoding' in transaction)) throw unreadable();
  const at = readCount(transaction.at);
  const length = readCount(transaction.length);
  const text = reply.slice(at, at + length);
  const isBase64 = transaction.encoding === 'base64';
  const bytes = isBase64 ? fromBase64(text) : Uint8Array.from(text.split(','), Number);
  if (text.length !== length || text !== (isBase64 ? toBase64(bytes) : bytes.join())) throw unreadable();
  return bytes;
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Parses a stored JSON text. This and the other functions of this file throw an `Error` for what this program does not write. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

/** Reads an object of texts: the headers of a reply. */
function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, readText(text)]));
}

/** Reads indices of transfers: one or more. */
function readIndices(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map(readCount);
}

/** Reads an integer that is 0 or more. */
function readCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unreadable();
  return value;
}

/** Reads the decimal text of an integer, or `null`. */
function readInteger(value: unknown): bigint | null {
  if (value === null) return null;
  const digits = readText(value);
  if (!/^-?[0-9]{1,20}$/.test(digits)) throw unreadable();
  return BigInt(digits);
}

/** Reads a text. */
function readText(value: unknown): string {
  if (typeof value !== 'string') throw unreadable();
  return value;
}

/** The error for a record that another program has spoiled. Its content is not repeated: it holds a reply. */
function unreadable(): Error {
  return new Error('the key database holds the record of an idempotent request that cannot be read');
}
