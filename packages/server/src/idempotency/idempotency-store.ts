/** Identifies a request that its caller may repeat under one `Idempotency-Key`. */
export interface RequestId {
  /** The `rootId` of the API key, on its ledger: a key made by rotation finds the requests of its predecessors. */
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
  /** Which transfers of a batch it makes, by their indices in the request; absent where the request is one transfer. */
  transfers?: readonly number[];
}

/** A transaction of an earlier reply that has landed for good: what it pays is never built again. */
export interface LandedTransaction {
  /** Which transfers of the batch it made, by their indices in the request. */
  transfers: readonly number[];
  /** Base58. */
  signature: string;
  slot: bigint;
  /** Seconds since the Unix epoch; `null` where no node knows it. */
  blockTime: bigint | null;
  /** The SHA-256 (lower-case hex) of the message that landed, which a wallet may have changed. */
  messageHash: string;
}

/** A reply that was built, with its transactions. */
export interface BuiltReply {
  /** The body of the reply, byte for byte. */
  reply: string;
  /** The headers that belong to the reply, by their names. */
  headers: Readonly<Record<string, string>>;
  /** None where the reply pays nothing: it is then given again as long as it is kept. */
  transactions: readonly BuiltTransaction[];
}

/** A stored reply and the attempt that built it. */
export interface BuiltRecord extends BuiltReply {
  attempt: string;
  /** When that attempt began, in milliseconds since the Unix epoch. */
  startedAt: number;
  /** What had landed before that attempt: the reply has the rest. */
  landed: readonly LandedTransaction[];
}

/**
 * The answer to a claim.
 *
 * - `claimed`: this attempt, and no other, may build what has not `landed`.
 * - `building`: another attempt is under way since `startedAt`.
 * - `other_body`: the key belongs to a request with another body.
 * - `built`: a reply was stored for the same body.
 */
export type Claim =
  | { kind: 'claimed'; landed: readonly LandedTransaction[] }
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
   * An expired record counts as absent. So does an attempt that is older than the lease, whatever its body: but what had landed
   * before it stays known, and then only the same body takes its place.
   */
  claim(id: RequestId, claim: ClaimAttempt): Promise<Claim>;
  /**
   * Replaces the stored reply `from` by a new claim: its transactions in `landed` have landed, and the others never can. Returns
   * false when another attempt was faster. Nothing else of `from` is kept.
   */
  reclaim(
    id: RequestId,
    from: BuiltRecord,
    claim: ClaimAttempt,
    landed: readonly LandedTransaction[],
  ): Promise<boolean>;
  /**
   * Claims the messages that an attempt has built, before its reply is stored: `taken` when another request has one of them.
   *
   * Each message belongs to one request until the record of that request is deleted. `lost`: another attempt has the claim.
   */
  claimMessages(
    id: RequestId,
    attempt: string,
    messageHashes: readonly string[],
  ): Promise<'claimed' | 'taken' | 'lost'>;
  /**
   * Stores the reply of an attempt before it leaves, so that a loss of power does not undo it; kept for `retentionMs` from `now`.
   *
   * Returns false when the claim was lost to another attempt: the reply must not leave.
   */
  complete(id: RequestId, attempt: string, built: BuiltReply, now: number, retentionMs: number): Promise<boolean>;
  /** Gives up an attempt that built nothing: another may claim the request at once. Does nothing when its claim was lost. */
  release(id: RequestId, attempt: string): Promise<void>;
  /** Whether another request, whose record still exists, has built this message or is about to hand it out. */
  isBuiltByAnother(messageHash: string, id: RequestId): Promise<boolean>;
  /**
   * Returns how many bytes the stored replies of a scope take at `now`, with the rows that they are in.
   *
   * Leaves out up to 256 KiB that each other process has stored in the last seconds. It falls when records are pruned, by the whole
   * hours in which they expire.
   */
  storedBytesOf(scope: string, now: number): Promise<number>;
  /** Deletes some of the records that have expired at `now`, or of what belongs to them, and returns how many: 0 when none are left. */
  prune(now: number): Promise<number>;
}
