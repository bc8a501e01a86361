import type { BuiltRecord, BuiltReply, BuiltTransaction } from './idempotency-store.ts';
import type { IdempotentRequestRow } from './key-tables.ts';

/** The columns that only a stored reply has. */
export type ReplyColumns = Pick<IdempotentRequestRow, 'reply' | 'reply_headers' | 'transactions' | 'message_hash'>;

/** The columns of a request without a stored reply. */
export const noReply: ReplyColumns = { reply: null, reply_headers: null, transactions: null, message_hash: null };

/** Returns the columns of a reply. */
export function replyToColumns({ reply, headers, transactions, messageHash }: BuiltReply): ReplyColumns {
  const described = transactions.map(({ bytes, lastValidBlockHeight }) => ({
    transaction: Buffer.from(bytes).toString('base64'),
    last_valid_block_height: lastValidBlockHeight?.toString() ?? null,
  }));
  return {
    reply,
    reply_headers: JSON.stringify(headers),
    transactions: JSON.stringify(described),
    message_hash: messageHash,
  };
}

/** Reads the row of a stored reply. Throws when another program has written something else there. */
export function toBuiltRecord(row: IdempotentRequestRow): BuiltRecord {
  const { attempt, started_at: startedAt, reply, reply_headers, transactions, message_hash: messageHash } = row;
  if (reply === null || reply_headers === null || transactions === null || messageHash === null) throw unreadable();
  const headers = readHeaders(parseJson(reply_headers));
  return { attempt, startedAt, reply, headers, transactions: readTransactions(parseJson(transactions)), messageHash };
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, readText(text)]));
}

function readTransactions(value: unknown): readonly BuiltTransaction[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map(readTransaction);
}

function readTransaction(value: unknown): BuiltTransaction {
  if (typeof value !== 'object' || value === null) throw unreadable();
  if (!('transaction' in value && 'last_valid_block_height' in value)) throw unreadable();
  const bytes = new Uint8Array(Buffer.from(readText(value.transaction), 'base64'));
  if (value.last_valid_block_height === null) return { bytes, lastValidBlockHeight: undefined };
  const digits = readText(value.last_valid_block_height);
  if (!/^[0-9]{1,20}$/.test(digits)) throw unreadable();
  return { bytes, lastValidBlockHeight: BigInt(digits) };
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw unreadable();
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

// The content is not repeated: it holds a reply.
function unreadable(): Error {
  return new Error('the key database holds the record of an idempotent request that cannot be read');
}
