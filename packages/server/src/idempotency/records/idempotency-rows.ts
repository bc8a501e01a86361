import type { IdempotentRequestRow } from '../../store/schema/tables.ts';
import type { BuiltRecord, BuiltReply, BuiltTransaction, LandedTransaction } from '../idempotent-request.ts';

/** The columns that only a stored reply has. */
type ReplyColumns = Pick<IdempotentRequestRow, 'reply' | 'reply_headers' | 'transactions'>;

/** The columns of a request without a stored reply. */
export const noReply: ReplyColumns = { reply: null, reply_headers: null, transactions: null };

/** Returns the columns of a reply. */
export function replyToColumns({ reply, headers, transactions }: BuiltReply): ReplyColumns {
  const described = transactions.map(({ bytes, lastValidBlockHeight, transfers }) => ({
    transaction: Buffer.from(bytes).toString('base64'),
    last_valid_block_height: lastValidBlockHeight?.toString() ?? null,
    ...(transfers && { transfers }),
  }));
  return { reply, reply_headers: JSON.stringify(headers), transactions: JSON.stringify(described) };
}

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
export function toBuiltRecord(row: IdempotentRequestRow): BuiltRecord {
  const { attempt, started_at: startedAt, expires_at: expiresAt, reply, reply_headers, transactions } = row;
  if (reply === null || reply_headers === null || transactions === null) throw unreadable();
  return {
    attempt,
    startedAt,
    expiresAt,
    reply,
    headers: readHeaders(parseJson(reply_headers)),
    transactions: readTransactions(parseJson(transactions)),
    landed: toLanded(row.landed),
  };
}

/** Reads the column of what landed. Throws when another program has written something else there. */
export function toLanded(column: string | null): readonly LandedTransaction[] {
  if (column === null) return [];
  const value = parseJson(column);
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map(readLanded);
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

/** Reads the stored transactions of a reply. Throws when another program has written something else there. */
function readTransactions(value: unknown): readonly BuiltTransaction[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map((transaction: unknown) => {
    if (typeof transaction !== 'object' || transaction === null) throw unreadable();
    if (!('transaction' in transaction && 'last_valid_block_height' in transaction)) throw unreadable();
    return {
      bytes: readBytes(readText(transaction.transaction)),
      lastValidBlockHeight: readInteger(transaction.last_valid_block_height) ?? undefined,
      ...('transfers' in transaction && { transfers: readIndices(transaction.transfers) }),
    };
  });
}

function readBytes(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw unreadable();
  return new Uint8Array(bytes);
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
