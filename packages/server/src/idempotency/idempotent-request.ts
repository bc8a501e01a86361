import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Metadata } from '../app/metadata.ts';
import { sponsorFeeSchema } from '../app/schema-parts.ts';
import type { DailyAddition } from '../keys/api-key-record.ts';
import type { SponsorFeeJson } from '../problems.ts';
import type { IdempotentRequestRow } from '../store/schema/tables.ts';

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
  /** Of a batch; absent where the sponsor gets nothing. */
  sponsorFee?: SponsorFeeJson | undefined;
}

/** A transaction of a batch that has landed. */
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
  /** Absent where the sponsor got nothing. */
  sponsorFee?: SponsorFeeJson | undefined;
}

/** A reply that was built, with its transactions. */
export interface BuiltReply {
  /** The body of the reply, byte for byte. */
  reply: string;
  /** The headers that belong to the reply, by their names. */
  headers: Readonly<Record<string, string>>;
  /** Those that are new. None where the reply pays nothing: it is then given again as long as it is kept. */
  transactions: readonly BuiltTransaction[];
  /** Returns what counts towards daily limits at a moment, in milliseconds since the Unix epoch; absent where nothing does. */
  counted?: (atMs: number) => readonly DailyAddition[];
  /** Gives back what is held for it; called where it is certain that it was not stored, and is not handed out. */
  giveBack?: () => Promise<void>;
}

/** A transaction that is handed out, and the account that it pays from. */
export interface SentTransaction extends BuiltTransaction {
  /** SHA-256 of the message, lower-case hex. */
  messageHash: string;
  /** Its index in the reply. */
  index: number;
  /** The token account that it pays from. */
  source: string;
}

/** Every transaction that was built for a request and is not known to be dead. */
export interface Knowledge {
  /** Those that are not final. */
  transactions: readonly BuiltTransaction[];
  /** Those of a batch that have landed for good. */
  landed: readonly LandedTransaction[];
}

/** A reply to store. */
export interface NewReply extends Pick<Knowledge, 'transactions'> {
  /** `undefined` where `transactions` has others than the reply, or the reply lacks something: a retry is then never given it. */
  whole: Pick<BuiltReply, 'reply' | 'headers'> | undefined;
  /** Those that are new. */
  sent: readonly SentTransaction[];
  /** Of the events of these. */
  metadata?: Metadata | undefined;
  /** What is counted towards daily limits for these, in the same write. */
  counted?: readonly DailyAddition[];
  /** The record that the attempt has reclaimed. */
  replaces?: BuiltRecord | undefined;
}

/** The record of a request, and the attempt that stored it. */
export interface BuiltRecord extends Knowledge, Pick<NewReply, 'whole'> {
  attempt: string;
  /** `building` of an attempt that has outlasted its lease. */
  state: IdempotentRequestRow['state'];
  /** When that attempt began, in milliseconds since the Unix epoch. */
  startedAt: number;
  /** Until when it is kept, in milliseconds since the Unix epoch. */
  expiresAt: number;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: this attempt, and no other, may build: nothing is known to have been built.
 * - `building`: another attempt is under way since `startedAt`.
 * - `other_body`: the key belongs to a request with another body.
 * - `built`: something was built for the same body, and no attempt is under way.
 */
export type Claim =
  | { kind: 'claimed' }
  | { kind: 'building'; startedAt: number }
  | { kind: 'other_body' }
  | { kind: 'built'; record: BuiltRecord };

/** The columns of what was built. */
type BuiltColumns = Pick<IdempotentRequestRow, 'reply' | 'reply_headers' | 'transactions'>;

/** Returns the columns of what was built; all are null where nothing was. */
export function builtToColumns({ whole, transactions }: Pick<NewReply, 'whole' | 'transactions'>): BuiltColumns {
  const described = transactions.map(({ bytes, lastValidBlockHeight, transfers, sponsorFee }) => ({
    transaction: Buffer.from(bytes).toString('base64'),
    last_valid_block_height: lastValidBlockHeight?.toString() ?? null,
    ...(transfers && { transfers }),
    ...(sponsorFee && { sponsor_fee: sponsorFee }),
  }));
  return {
    reply: whole?.reply ?? null,
    reply_headers: whole ? JSON.stringify(whole.headers) : null,
    transactions: whole || described.length > 0 ? JSON.stringify(described) : null,
  };
}

/** Returns the column of what landed. */
export function landedToColumn(landed: readonly LandedTransaction[]): string | null {
  if (landed.length === 0) return null;
  const described = landed.map(({ transfers, signature, slot, blockTime, messageHash, sponsorFee }) => ({
    transfers,
    signature,
    slot: slot.toString(),
    block_time: blockTime?.toString() ?? null,
    message_hash: messageHash,
    ...(sponsorFee && { sponsor_fee: sponsorFee }),
  }));
  return JSON.stringify(described);
}

const integer = Type.String({ pattern: '^-?[0-9]{1,20}$' });
const transfers = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });
const headersColumn = Compile(Type.Record(Type.String(), Type.String()));
const transactionsColumn = Compile(
  Type.Array(
    Type.Object({
      transaction: Type.String(),
      last_valid_block_height: Type.Union([integer, Type.Null()]),
      transfers: Type.Optional(transfers),
      sponsor_fee: Type.Optional(sponsorFeeSchema),
    }),
  ),
);
const landedColumn = Compile(
  Type.Array(
    Type.Object({
      transfers,
      signature: Type.String(),
      slot: integer,
      block_time: Type.Union([integer, Type.Null()]),
      message_hash: Type.String(),
      sponsor_fee: Type.Optional(sponsorFeeSchema),
    }),
    { minItems: 1 },
  ),
);

/** Reads the row of a request for which something was built. Throws when another program has written something else there. */
export function toBuiltRecord(row: IdempotentRequestRow): BuiltRecord {
  const { attempt, state, started_at: startedAt, expires_at: expiresAt, reply, reply_headers, transactions } = row;
  const known = reply === null ? (transactions ?? row.landed) : transactions;
  if (known === null || (reply === null) !== (reply_headers === null)) throw unreadable();
  const headers = parseJson(reply_headers ?? '{}');
  const built = parseJson(transactions ?? '[]');
  if (!headersColumn.Check(headers) || !transactionsColumn.Check(built)) throw unreadable();
  return {
    attempt,
    state,
    startedAt,
    expiresAt,
    whole: reply === null ? undefined : { reply, headers },
    transactions: built.map(({ transaction, last_valid_block_height: height, transfers, sponsor_fee: sponsorFee }) => ({
      bytes: readBytes(transaction),
      lastValidBlockHeight: height === null ? undefined : BigInt(height),
      ...(transfers && { transfers }),
      ...(sponsorFee && { sponsorFee }),
    })),
    landed: toLanded(row.landed),
  };
}

function toLanded(column: string | null): readonly LandedTransaction[] {
  if (column === null) return [];
  const landed = parseJson(column);
  if (!landedColumn.Check(landed)) throw unreadable();
  return landed.map(
    ({ transfers, signature, slot, block_time: blockTime, message_hash: messageHash, sponsor_fee: fee }) => ({
      transfers,
      signature,
      slot: BigInt(slot),
      blockTime: blockTime === null ? null : BigInt(blockTime),
      messageHash,
      ...(fee && { sponsorFee: fee }),
    }),
  );
}

function readBytes(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw unreadable();
  return new Uint8Array(bytes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

/** The error for a record that another program has spoiled. Its content is not repeated: it holds a reply. */
function unreadable(): Error {
  return new Error('the key database holds the record of an idempotent request that cannot be read');
}
