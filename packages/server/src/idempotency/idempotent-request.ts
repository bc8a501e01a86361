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
  /** This and the next are milliseconds since the Unix epoch: when that attempt began. */
  startedAt: number;
  /** Until when the reply is kept. */
  expiresAt: number;
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
