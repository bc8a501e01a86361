import type { Address } from './address.ts';
import type { DecidedTransfer } from './decide-transfer.ts';
import { transactionSizeLimit } from './encode-transaction.ts';
import { formatAmount } from './format-amount.ts';
import type { Lifetime, TransactionVersion } from './transfer-plan.ts';
import { type TransferWarning, warnOf } from './transfer-warnings.ts';

/** An amount of tokens: exact base units, and the same as decimal text. */
export interface TokenAmount {
  base_units: string;
  decimal: string;
}

/** What a built transfer will do, as JSON: 64-bit numbers are strings. Lamports unless said. */
export interface TransferSummary {
  transaction_version: TransactionVersion;
  size: number;
  size_limit: number;
  signers: readonly Address[];
  fee_payer: Address;
  token_program: Address;
  decimals: number;
  sender: Address;
  sender_token_account: Address;
  recipient: Address;
  recipient_token_account: Address;
  amount: TokenAmount;
  transfer_fee: TokenAmount;
  received_amount: TokenAmount;
  network_fee: string;
  priority_fee: string;
  rent: string;
  creates_token_account: boolean;
  /** `null` where the network's default grant applies. */
  compute_unit_limit: number | null;
  /** What a simulation took; `null` where none was asked for. */
  compute_units_consumed: number | null;
  blockhash: string | null;
  last_valid_block_height: string | null;
  nonce: { account: Address; authority: Address; value: string } | null;
  recipient_requires_memo: boolean;
  warnings: readonly TransferWarning[];
}

/** A decided transfer, its bytes, what it lives by, and what its simulation took. */
export interface SummarizedTransfer extends DecidedTransfer {
  bytes: Uint8Array;
  lifetime: Lifetime;
  unitsConsumed: number | undefined;
}

/** Says what a built transfer will do once it lands, to the lamport and the base unit. */
export function summarizeTransfer(built: SummarizedTransfer): TransferSummary {
  const { plan, mint, lifetime } = built;
  const amount = (value: bigint): TokenAmount => ({
    base_units: value.toString(),
    decimal: formatAmount(value, plan.decimals),
  });
  return {
    transaction_version: plan.version,
    size: built.bytes.length,
    size_limit: transactionSizeLimit(plan.version),
    signers: [...new Set([plan.feePayer, plan.sender])],
    fee_payer: plan.feePayer,
    token_program: plan.tokenProgram,
    decimals: plan.decimals,
    sender: plan.sender,
    sender_token_account: plan.senderTokenAccount,
    recipient: plan.recipient,
    recipient_token_account: plan.recipientTokenAccount,
    amount: amount(plan.amount),
    transfer_fee: amount(plan.transferFee),
    received_amount: amount(plan.amount - plan.transferFee),
    network_fee: plan.networkFee.toString(),
    priority_fee: plan.priorityFee.toString(),
    rent: plan.rent.toString(),
    creates_token_account: plan.createsRecipientTokenAccount && !built.recipientTokenAccountExists,
    compute_unit_limit: plan.computeUnitLimit ?? null,
    compute_units_consumed: built.unitsConsumed ?? null,
    blockhash: 'blockhash' in lifetime ? lifetime.blockhash : null,
    last_valid_block_height: 'blockhash' in lifetime ? lifetime.lastValidBlockHeight.toString() : null,
    nonce: plan.nonce
      ? { account: plan.nonce.account, authority: plan.nonce.authority, value: plan.nonce.nonce }
      : null,
    recipient_requires_memo: built.recipientRequiresMemo,
    warnings: warnOf(plan, mint),
  };
}
