import type { Address, LandedContent, LoadedAddresses, TokenBalances } from 'splwright-core';
import type { Deadline } from './chain-reader.ts';

/** How certain a cluster is of what it processed. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The newest finalized slot of a node and the height of its block. */
export interface FinalizedHeight {
  slot: bigint;
  blockHeight: bigint;
}

/** How a transaction ended, and how certain that is. */
export interface SignatureStatus {
  slot: bigint;
  /** The node's own JSON of the error; `null` when it succeeded. */
  error: unknown;
  commitment: Commitment;
}

/** The statuses of signatures in the order they were asked for; `null` for one that the node does not know. */
export interface StatusesAtSlot {
  /** The processed slot of the node as it answered. */
  slot: bigint;
  statuses: readonly (SignatureStatus | null)[];
}

/** A transaction that used an address, as a node lists it. */
export interface HistoryEntry extends SignatureStatus {
  signature: string;
  /** Its memos as nodes write them: `[12] invoice 1001`, joined by `; `. */
  memo: string | null;
  /** Seconds since 1970. */
  blockTime: bigint | null;
}

/** Which part of an address's history is read. */
export interface HistoryPage {
  /** Only transactions older than the one with this signature. */
  before?: string;
  /** Only transactions newer than the one with this signature; a node that does not know it lists all. */
  until?: string;
  /** A node that has not seen this slot must refuse to answer; without one, a node that is too far behind the others. */
  minContextSlot?: bigint;
  /** From 1 to 1,000, which is the default. */
  limit?: number;
}

/** A transaction that the chain has executed, whether it succeeded or not. */
export interface LandedTransaction {
  slot: bigint;
  /** Seconds since 1970. */
  blockTime: bigint | null;
  /** The signed transaction. Requests share it: it may not be changed. */
  bytes: Uint8Array;
  /** The addresses that lookup tables gave to it. */
  loadedAddresses: LoadedAddresses;
  /** The node's own JSON of the error; `null` when it succeeded. */
  error: unknown;
  /** Lamports. */
  fee: bigint;
  /** Its decoded content; `undefined` where its bytes cannot be decoded. */
  content: LandedContent | undefined;
  /** Of its token accounts; `undefined` where the node shows no balances, or not those of lookup tables. */
  balances: TokenBalances | undefined;
  /** Of its accounts, in lamports, without its fee; absent where it moves no SOL, or the node shows no balances. */
  lamportBalances?: TokenBalances;
}

/** The nonce of an account as of a slot. */
export interface NonceAtSlot {
  slot: bigint;
  /** Base58; `undefined` when the account is gone, or holds no nonce that a transaction can use. */
  nonce: string | undefined;
}

/**
 * The history that one node keeps; other nodes are not asked.
 *
 * Each method throws an `UpstreamFault`, of the kind `refused` when the node keeps no history. Answers are shared between
 * requests that ask within 400 ms.
 */
export interface NodeHistory {
  /** `upstream_1`, `upstream_2` and so on: never its URL. */
  name: string;
  /** Reads the newest finalized slot and its block height. */
  readFinalizedHeight(deadline: Deadline): Promise<FinalizedHeight>;
  /** Reads the lowest slot of which the node still has the transactions. */
  readFirstAvailableSlot(deadline: Deadline): Promise<bigint>;
  /** Reads the statuses of up to 256 signatures, old ones too. */
  readStatuses(signatures: readonly string[], deadline: Deadline): Promise<StatusesAtSlot>;
  /** Reads the confirmed transactions that used an address, newest first. A page shorter than the limit is the last one. */
  readSignatures(address: Address, page: HistoryPage, deadline: Deadline): Promise<readonly HistoryEntry[]>;
  /** Reads a confirmed transaction; `null` when the node does not know it. */
  readTransaction(signature: string, deadline: Deadline): Promise<LandedTransaction | null>;
  /** Reads the height of the confirmed block of a slot; `null` when the node has none. */
  readBlockHeight(slot: bigint, deadline: Deadline): Promise<bigint | null>;
  /** Reads the confirmed nonce of a nonce account. */
  readNonce(account: Address, deadline: Deadline): Promise<NonceAtSlot>;
  /** Whether the newest block of the node, or its newest finalized one, accepts this blockhash. It is dead once both refuse it. */
  isBlockhashAlive(blockhash: string, deadline: Deadline): Promise<boolean>;
}

/** The nodes that can be asked about the past, and how many of them must say the same. */
export interface ChainHistory {
  /** Returns the usable nodes in the order of preference, then the others, which likely fail. */
  nodes(): readonly NodeHistory[];
  /** How many nodes must say that a transaction is absent before that is certain: at least 2 where there are 2 or more. */
  neededDenials: number;
  /** How many nodes must show a landed transfer. */
  neededSightings: number;
}
