import type { Address } from './address.ts';
import type { AccountMeta } from './instruction.ts';
import type { Memo } from './memo.ts';

/** The format of the transaction's message. */
export type TransactionVersion = 'legacy' | 0 | 1;

/** What to pay beyond the network fee: nothing, a level of what others pay now, or a price in micro-lamports per unit. */
export type PriorityFee = { level: 'low' | 'medium' | 'high' } | { microLamportsPerComputeUnit: bigint } | undefined;

/** What a caller may ask for beyond the transfer itself. */
export interface TransferOptions {
  /** Pays the network fee and the rent; the sender unless somebody else does. */
  feePayer: Address;
  version: TransactionVersion;
  priorityFee: PriorityFee;
  /** The durable nonce that takes the place of a blockhash. */
  nonceAccount: Address | undefined;
  /** Addresses that the payment can be found by. */
  references: readonly Address[];
  allowsOffCurveRecipient: boolean;
  /** Whether balances and account states are judged. */
  checks: 'full' | 'none';
}

/** What the caller asked for, parsed: every value is valid in itself, nothing has been checked against the chain. */
export interface TransferRequest extends TransferOptions {
  operation: Operation;
  from: Address;
  to: Address;
  mint: Address;
  /** Base units. */
  amount: bigint;
  memo: Memo | undefined;
  /** The field that the memo came in. */
  memoField: 'memo' | 'yid' | undefined;
  /** Compute units that the memo makes necessary beyond what the runtime grants by default. */
  computeUnitLimit: number | undefined;
}

/** The three operations: two transfers with a memo that differ in the reply, and the one that creates the account. */
export type Operation = 'memo_transfer' | 'yid_transfer' | 'create_transfer';

/** A blockhash and how long it lives. */
export interface BlockhashLifetime {
  blockhash: string;
  /** The last block height at which a transaction with this blockhash can land. */
  lastValidBlockHeight: bigint;
}

/** What a transaction lives by: a blockhash for some 150 blocks, or a nonce until it is advanced. */
export type Lifetime = BlockhashLifetime | { nonce: string };

/** The nonce account of a plan and who may advance it. */
export interface NonceAdvance {
  account: Address;
  authority: Address;
  /** Base58 of 32 bytes: what stands where a blockhash would. */
  nonce: string;
}

/** Everything that goes into the transaction, decided: the bytes follow from it and from a blockhash alone. */
export interface TransferPlan {
  version: TransactionVersion;
  feePayer: Address;
  sender: Address;
  recipient: Address;
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  /** Base units. */
  amount: bigint;
  senderTokenAccount: Address;
  recipientTokenAccount: Address;
  createsRecipientTokenAccount: boolean;
  memo: Memo | undefined;
  /** Set when the memo could cost more than the default grant, for a priority fee, and always in version 1. */
  computeUnitLimit: number | undefined;
  /** Micro-lamports; 0 for no priority fee. */
  computeUnitPrice: bigint;
  nonce: NonceAdvance | undefined;
  references: readonly Address[];
  /** What the mint's transfer hook must be handed beside the transfer's own accounts, in this order. */
  hookAccounts: readonly AccountMeta[];
  /** Base units that the mint withholds from the amount; the recipient gets the rest. */
  transferFee: bigint;
  /** Lamports that the fee payer pays for the signatures. */
  networkFee: bigint;
  /** Lamports that the fee payer pays on top, to be taken sooner. */
  priorityFee: bigint;
  /** Lamports that the fee payer pays for the recipient's token account; 0 when it exists. */
  rent: bigint;
}
