/** The tables of requests with an `Idempotency-Key`, as Kysely sees them. */
export interface IdempotencyTables {
  idempotent_requests: IdempotentRequestRow;
  idempotent_messages: IdempotentMessageRow;
}

/** A request with an `Idempotency-Key`; times are milliseconds since the Unix epoch. */
export interface IdempotentRequestRow {
  /** The `root_id` of the API key, or else its id, on its ledger: as `idOnLedger` makes it. */
  scope: string;
  path: string;
  idempotency_key: string;
  /** SHA-256 of the canonical body, lower-case hex. */
  body_hash: string;
  /** A random id of the attempt that builds it or has built it. */
  attempt: string;
  state: 'building' | 'built';
  started_at: number;
  expires_at: number;
  /** This and the next two: `null` while it is being built. */
  reply: string | null;
  /** A JSON object of texts. */
  reply_headers: string | null;
  /** A JSON array of `{"transaction":"<base64>","last_valid_block_height":"…" or null,"transfers":[…] of a batch}`. */
  transactions: string | null;
  /** A JSON array of what landed of earlier replies, as `toLandedText` writes it; `null` where nothing did. */
  landed: string | null;
}

/** A message that a request builds or has built; it is deleted with its request. */
interface IdempotentMessageRow {
  /** SHA-256 of the message, lower-case hex. */
  message_hash: string;
  scope: string;
  path: string;
  idempotency_key: string;
}
