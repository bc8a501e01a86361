import type { NonceAdvance } from '../accounts/nonce-advance.ts';
import type { Address } from '../addresses/address.ts';
import type { Memo } from '../request/memo.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import type { TransactionVersion } from '../transaction/transaction-version.ts';

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
  senderTokenAccountBump: number;
  recipientTokenAccount: Address;
  recipientTokenAccountBump: number;
  createsRecipientTokenAccount: boolean;
  memo: Memo | undefined;
  /** Decided by `decideComputeLimit`; undefined where the default grant is enough. */
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

/** The parts of a plan that its message is made from. */
export type MessageParts = Omit<
  TransferPlan,
  'senderTokenAccountBump' | 'recipientTokenAccountBump' | 'transferFee' | 'networkFee' | 'rent'
>;
