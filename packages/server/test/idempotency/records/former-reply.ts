import type { BuiltReply } from '../../../src/idempotency/idempotency-store.ts';
import type { ReplyColumns } from '../../../src/idempotency/records/idempotency-rows.ts';

/** The columns in which versions before step 13 of the schema stored a reply. */
export function formerColumns({ reply, headers, transactions }: BuiltReply): Omit<ReplyColumns, 'packed_reply'> {
  const described = transactions.map(({ bytes, lastValidBlockHeight, transfers }) => ({
    transaction: Buffer.from(bytes).toString('base64'),
    last_valid_block_height: lastValidBlockHeight?.toString() ?? null,
    transfers,
  }));
  return { reply, reply_headers: JSON.stringify(headers), transactions: JSON.stringify(described) };
}
