import type { BuiltRecord, BuiltReply, LandedTransaction } from './idempotency-store.ts';
import type { IdempotentRequestRow } from './idempotency-tables.ts';
import { readTransactions, unpackReply } from './packed-reply.ts';
import { parseJson, readHeaders, readIndices, readInteger, readText, unreadable } from './stored-json.ts';

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
