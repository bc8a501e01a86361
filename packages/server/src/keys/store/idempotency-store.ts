/** Identifies a request that its caller may repeat under one `Idempotency-Key`. */
export interface RequestId {
  /** The `rootId` of the API key: a key made by rotation finds the requests of its predecessors. */
  scope: string;
  /** The path of the operation, such as `/v1/transfers`. */
  path: string;
  /** The text of `Idempotency-Key`. */
  key: string;
}

/** One attempt to build the reply of a request. */
export interface ClaimAttempt {
  /** The SHA-256 (lower-case hex) of the canonical body. */
  bodyHash: string;
  /** A random id of this attempt, different from every other one. */
  attempt: string;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** How long an attempt that neither completes nor releases keeps others out. */
  leaseMs: number;
  /** How long the record is kept from `now` on. */
  retentionMs: number;
}

/** A transaction of a stored reply. */
export interface BuiltTransaction {
  /** The transaction as it was handed out. */
  bytes: Uint8Array;
  /** The last block height at which it can land; `undefined` with a durable nonce. */
  lastValidBlockHeight: bigint | undefined;
}

/** A reply that was built, with its transactions. */
export interface BuiltReply {
  /** The body of the reply, byte for byte. */
  reply: string;
  /** The headers that belong to the reply, by their names. */
  headers: Readonly<Record<string, string>>;
  /** None where the reply pays nothing: it is then given again as long as it is kept. */
  transactions: readonly BuiltTransaction[];
  /** The SHA-256 (lower-case hex) of the message of the first transaction; of nothing where there is none. */
  messageHash: string;
}

/** A stored reply and the attempt that built it. */
export interface BuiltRecord extends BuiltReply {
  attempt: string;
  /** When that attempt began, in milliseconds since the Unix epoch. */
  startedAt: number;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: this attempt, and no other, may build.
 * - `building`: another attempt is under way since `startedAt`.
 * - `other_body`: the key belongs to a request with another body.
 * - `built`: a reply was stored for the same body.
 */
export type Claim =
  | { kind: 'claimed' }
  | { kind: 'building'; startedAt: number }
  | { kind: 'other_body' }
  | { kind: 'built'; record: BuiltRecord };

/**
 * Stores which requests are being built and what was built, for all processes on one database.
 *
 * Every method rejects when the database does not answer. When only the answer was lost, the change was made: a claim then
 * lasts for its lease, and a completed reply is found by the next claim.
 */
export interface IdempotencyStore {
  /**
   * Claims a request for an attempt: exactly one of concurrent claims wins.
   *
   * An expired record counts as absent, and so does an attempt that is older than the lease, whatever its body.
   */
  claim(id: RequestId, claim: ClaimAttempt): Promise<Claim>;
  /**
   * Claims a request whose stored transactions can never land, in place of its record; returns false when another attempt was
   * faster. `from` is forgotten.
   */
  reclaim(id: RequestId, from: BuiltRecord, claim: ClaimAttempt): Promise<boolean>;
  /**
   * Notes the message that an attempt has built, before its reply is stored: `taken` when another request has the same one.
   *
   * Of two that note one message at once, at least one is told; both may be. `lost`: another attempt has the claim.
   */
  claimMessage(id: RequestId, attempt: string, messageHash: string): Promise<'claimed' | 'taken' | 'lost'>;
  /**
   * Stores the reply of an attempt before it leaves, so that a loss of power does not undo it; kept for `retentionMs` from `now`.
   *
   * Returns false when the claim was lost to another attempt: the reply must not leave.
   */
  complete(id: RequestId, attempt: string, built: BuiltReply, now: number, retentionMs: number): Promise<boolean>;
  /** Gives up an attempt that built nothing; does nothing when its claim was lost. */
  release(id: RequestId, attempt: string): Promise<void>;
  /** Whether a message is the one that another request built, or is about to hand out, as far as its record is still there. */
  isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean>;
  /** Deletes some of the records that have expired at `now`, and returns how many: 0 when none are left. */
  prune(now: number): Promise<number>;
}
