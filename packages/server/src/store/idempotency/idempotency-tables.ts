/** The tables of requests with an `Idempotency-Key`, as Kysely sees them. */
export interface IdempotencyTables {
  idempotent_requests: IdempotentRequestRow;
  idempotent_messages: IdempotentMessageRow;
  idempotent_bytes: IdempotentBytesRow;
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
  /** The reply as `packReply` stores it; `null` while it is being built. */
  packed_reply: Uint8Array | null;
  /** This and the next two: as versions before step 13 of the schema store a reply; otherwise `null`. */
  reply: string | null;
  /** A JSON object of texts. */
  reply_headers: string | null;
  /** A JSON array of `{"transaction":"<base64>","last_valid_block_height":"…" or null,"transfers":[…] of a batch}`. */
  transactions: string | null;
  /** A JSON array of what landed of earlier replies, as `landedToColumn` writes it; `null` where nothing did. */
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

/** How many bytes the stored replies of one client take that expire within the same hour. */
interface IdempotentBytesRow {
  scope: string;
  /** The end of that hour, in milliseconds since the Unix epoch. */
  expires_at: number;
  bytes: number;
}
