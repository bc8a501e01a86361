import type { BuiltRecord, BuiltReply, BuiltTransaction, LandedTransaction } from './idempotency-store.ts';
import type { IdempotentRequestRow } from './idempotency-tables.ts';

/** The columns that only a stored reply has. */
export type ReplyColumns = Pick<IdempotentRequestRow, 'reply' | 'reply_headers' | 'transactions'>;

/** The columns of a request without a stored reply. */
export const noReply: ReplyColumns = { reply: null, reply_headers: null, transactions: null };

/** Returns the columns of a reply. */
export function replyToColumns({ reply, headers, transactions }: BuiltReply): ReplyColumns {
  const described = transactions.map(({ bytes, lastValidBlockHeight, transfers }) => ({
    transaction: Buffer.from(bytes).toString('base64'),
    last_valid_block_height: lastValidBlockHeight?.toString() ?? null,
    transfers,
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
  const { attempt, started_at: startedAt, reply, reply_headers, transactions } = row;
  if (reply === null) throw unreadable();
  const headers = readHeaders(parseJson(reply_headers ?? ''));
  const built = readTransactions(parseJson(transactions ?? ''));
  return { attempt, startedAt, reply, headers, transactions: built, landed: toLanded(row.landed) };
}

/** Reads the column of what landed. Throws when another program has written something else there. */
export function toLanded(column: string | null): readonly LandedTransaction[] {
  if (column === null) return [];
  const value = parseJson(column);
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map(readLanded);
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
  const lastValidBlockHeight = readInteger(value.last_valid_block_height) ?? undefined;
  return 'transfers' in value
    ? { bytes, lastValidBlockHeight, transfers: readIndices(value.transfers) }
    : { bytes, lastValidBlockHeight };
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

function readIndices(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map((index: unknown) => {
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) throw unreadable();
    return index;
  });
}

function readInteger(value: unknown): bigint | null {
  if (value === null) return null;
  const digits = readText(value);
  if (!/^-?[0-9]{1,20}$/.test(digits)) throw unreadable();
  return BigInt(digits);
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
