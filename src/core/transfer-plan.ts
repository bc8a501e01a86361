import type { Address } from './address.ts';
import type { AccountMeta } from './instruction.ts';
import type { Memo } from './memo.ts';

/** What the caller asked for, parsed: every value is valid in itself, nothing has been checked against the chain. */
export interface TransferRequest {
  operation: Operation;
  from: Address;
  to: Address;
  mint: Address;
  /** Base units. */
  amount: bigint;
  memo: Memo | undefined;
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

/** Everything that goes into the transaction, decided: the bytes follow from it and from a blockhash alone. */
export interface TransferPlan {
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
  /** Set only when the memo could cost more than the default grant. */
  computeUnitLimit: number | undefined;
  /** What the mint's transfer hook must be handed beside the transfer's own accounts, in this order. */
  hookAccounts: readonly AccountMeta[];
  /** Base units that the mint withholds from the amount; the recipient gets the rest. */
  transferFee: bigint;
  /** Lamports that the fee payer pays for the signatures. */
  networkFee: bigint;
  /** Lamports that the fee payer pays for the recipient's token account; 0 when it exists. */
  rent: bigint;
}
