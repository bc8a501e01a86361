import type { Address, InstructionSummary, TransferIntent } from 'splwright-core';

/** A transaction whose outcome is asked for. */
export interface OutcomeItem {
  intent: TransferIntent;
  /** Of its blockhash, as the reply that built it said; undefined when the caller does not know it. */
  lastValidBlockHeight: bigint | undefined;
}

/** The outcome of a transfer. */
export type Verdict = LandedVerdict | FailedVerdict | PendingVerdict | ExpiredVerdict | UnknownVerdict;

/** A transaction on the chain that is the one asked for. */
export interface SeenTransaction {
  /** Base58. */
  signature: string;
  slot: bigint;
  /** Seconds since 1970. */
  blockTime: bigint | null;
  /** A confirmed transaction can still be dropped with its fork, a finalized one cannot. */
  commitment: 'confirmed' | 'finalized';
  /** The whole network fee in lamports. */
  fee: bigint;
  /** By its signature, by the same unsigned message, or by what it pays. */
  matchedBy: 'signature' | 'message' | 'content';
  /** The bytes that its signers signed. */
  message: Uint8Array;
}

/** A payment that was made. */
export interface LandedPayment {
  /** `undefined` where SOL was paid. */
  tokenAccount: Address | undefined;
  /** The owner of the token account, where the node names it. */
  wallet?: string | undefined;
  /** Base units that were sent. */
  amount: bigint;
  /** Base units that arrived: less than the amount where the mint takes a transfer fee. `undefined` where no node shows it. */
  received: bigint | undefined;
}

/** The payment was made. */
export interface LandedVerdict extends SeenTransaction {
  outcome: 'landed';
  /** In the order of the transaction asked for. */
  payments: readonly LandedPayment[];
  /** Every transaction that could be this one, the oldest first, when equal payments cannot be told apart. */
  ambiguous?: readonly string[] | undefined;
}

/** It is on the chain, and failed there: nothing was paid. */
export interface FailedVerdict extends SeenTransaction {
  outcome: 'failed';
  /** The node's own JSON of the error. */
  error: unknown;
  instructions: readonly InstructionSummary[];
}

/** It has not landed, and still can. */
export interface PendingVerdict {
  outcome: 'pending';
  reason: PendingReason;
  /** Whether its own bytes failed, which cannot land again: only what a wallet changed can. */
  hasFailed?: boolean;
  /** The newest finalized block height. */
  blockHeight?: bigint | undefined;
  /** The height of the last block in which it can land. */
  lastValidBlockHeight?: bigint | undefined;
  /** Signatures of equal payments that may or may not be this one. */
  similar?: readonly string[] | undefined;
}

/**
 * Why a transfer can still land.
 *
 * - `lifetime`: its last block is not final yet
 * - `nonce_unused`: its nonce is still there
 * - `nonce_used_not_final`: another transaction used its nonce, which is not certain enough yet
 * - `blockhash_alive`: a node still accepts its blockhash
 * - `failed_but_alive`: it was unsigned and failed, and can still land with another blockhash of a wallet
 * - `not_final`: too few nodes show it, or it is processed only
 */
export type PendingReason =
  | 'lifetime'
  | 'nonce_unused'
  | 'nonce_used_not_final'
  | 'blockhash_alive'
  | 'failed_but_alive'
  | 'not_final';

/** It has not landed, and never will. */
export interface ExpiredVerdict {
  outcome: 'expired';
  /** The finalized block height that is past its validity window; undefined with a nonce. */
  blockHeight?: bigint | undefined;
  /** The height of the last block in which it could have landed; undefined with a nonce. */
  lastValidBlockHeight?: bigint | undefined;
  /** The signature of the transaction that used its nonce. */
  nonceUsedBy?: string | undefined;
}

/** The nodes do not show what became of it. */
export interface UnknownVerdict {
  outcome: 'unknown';
  reason: UnknownReason;
  /** The newest finalized block height, where the first node that answered says it. */
  blockHeight?: bigint | undefined;
  /** Signatures of equal payments that may or may not be this one. */
  similar?: readonly string[] | undefined;
  /** How many nodes said what was needed, and how many must. */
  nodes?: { have: number; need: number } | undefined;
}

/**
 * Why the outcome is unknown.
 *
 * - `last_valid_block_height_missing`: without it the end of its validity window is not known
 * - `history_pruned`: the node no longer has the transactions of its lifetime
 * - `history_not_available`: the node keeps no history, or one that contradicts itself
 * - `too_many_transactions`: its accounts were used too often to look at each transaction
 * - `too_few_nodes`: too few nodes answer
 * - `nodes_disagree`: some nodes show it on the chain, others say that it is not there
 * - `similar_payment`: a payment is on the chain that may be this one
 */
export type UnknownReason =
  | 'last_valid_block_height_missing'
  | 'history_pruned'
  | 'history_not_available'
  | 'too_many_transactions'
  | 'too_few_nodes'
  | 'nodes_disagree'
  | 'similar_payment';
