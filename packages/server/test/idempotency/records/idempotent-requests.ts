import type {
  BuiltReply,
  ClaimAttempt,
  Knowledge,
  LandedTransaction,
  NewReply,
  RequestId,
} from '../../../src/idempotency/idempotent-request.ts';

/** A moment at which tests begin; milliseconds since the Unix epoch. */
export const start = Date.parse('2026-11-22T12:00:00.000Z');
export const leaseMs = 7000;
export const retentionMs = 86_400_000;

/** The id of a request of one client to one path. */
export function requestOf(key: string, changes: Partial<RequestId> = {}): RequestId {
  return { scope: 'key_1', path: '/v1/transfers', key, ...changes };
}

/** A claim of the body "a" at `start`. */
export function claimBy(attempt: string, changes: Partial<ClaimAttempt> = {}): ClaimAttempt {
  return { bodyHash: 'a', attempt, now: start, leaseMs, retentionMs, ...changes };
}

/** A reply with two transactions, one of them with a durable nonce and some transfers of a batch. */
export const builtReply: BuiltReply = {
  reply: '{"data":[1,2,3],"status":"built: äöü ☃ 𝒳\\u0000"}',
  headers: { 'Solana-Last-Valid-Block-Height': '18446744073709551615', 'X-Second': 'with "quotes"' },
  transactions: [
    { bytes: Uint8Array.from({ length: 256 }, (_, index) => index), lastValidBlockHeight: 2n ** 64n - 1n },
    { bytes: Uint8Array.of(0), lastValidBlockHeight: undefined, transfers: [999, 0] },
  ],
};

/** The same to store, without messages; with `reply` another text. */
export function replyWith({
  reply = builtReply.reply,
  ...changes
}: Partial<NewReply> & { reply?: string } = {}): NewReply {
  const { headers, transactions } = builtReply;
  return { whole: { reply, headers }, transactions, sent: [], ...changes };
}

/** What is stored where all that was built is dead. */
export const nothing: Knowledge = { transactions: [], landed: [] };

/** Transactions with these messages. */
export function sentAs(messageHashes: readonly string[]): NewReply['sent'] {
  return messageHashes.map((messageHash, index) => {
    return { messageHash, index, bytes: Uint8Array.of(index), lastValidBlockHeight: 1n, source: 'source' };
  });
}

/** A transaction that has landed. */
export function landedWith(changes: Partial<LandedTransaction> = {}): LandedTransaction {
  return { transfers: [0, 3], signature: 'sig', slot: 5n, blockTime: 1_795_000_000n, messageHash: 'm1', ...changes };
}
