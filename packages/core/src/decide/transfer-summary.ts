import type { Address } from '../addresses/address.ts';
import { formatAmount } from '../request/format-amount.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import type { Lifetime } from '../transaction/lifetime.ts';
import type { TransactionVersion } from '../transaction/transaction-version.ts';
import type { DecidedTransfer } from './decide-transfer.ts';
import { warnOfMemo } from './memo-warnings.ts';
import {
  readControls,
  type TransferControls,
  warnOfControls,
  warnOfHook,
  warnOfNonce,
  writableHookAccounts,
} from './payment-warnings.ts';
import { type TransferWarning, warnOfMint } from './transfer-warnings.ts';

/** An amount of tokens: exact base units, and the same as decimal text. */
export interface TokenAmount {
  base_units: string;
  decimal: string;
}

/** Somebody who may send so many tokens from a token account. */
export interface DelegateSummary {
  address: Address;
  amount: TokenAmount;
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
  memo: string | null;
  references: readonly Address[];
  transfer_hook: { program: Address; writable_accounts: readonly Address[] } | null;
  /** Who may send from it besides its owner, and how much. */
  sender_token_account_delegate: DelegateSummary | null;
  /** Who may close it, where that is not said to be its owner. */
  sender_token_account_close_authority: Address | null;
  recipient_token_account_delegate: DelegateSummary | null;
  recipient_token_account_close_authority: Address | null;
  warnings: readonly TransferWarning[];
}

/** An unsigned transaction, what went into it, and what it lives by. */
export interface BuiltTransfer extends DecidedTransfer {
  bytes: Uint8Array;
  lifetime: Lifetime;
  /** Compute units that the simulation took, when one was asked for. */
  unitsConsumed: number | undefined;
}

/** Says what a built transfer will do once it lands, to the lamport and the base unit. */
export function summarizeTransfer(built: BuiltTransfer): TransferSummary {
  const { plan, mint, lifetime } = built;
  const controls = readControls(built.senderTokenAccount, built.recipientTokenAccount);
  const amount = (value: bigint): TokenAmount => ({
    base_units: value.toString(),
    decimal: formatAmount(value, plan.decimals),
  });
  const delegate = (control: TransferControls['sender']): DelegateSummary | null =>
    control?.delegate ? { address: control.delegate.address, amount: amount(control.delegate.amount) } : null;
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
    creates_token_account: plan.createsRecipientTokenAccount && !plan.recipientTokenAccountExists,
    compute_unit_limit: plan.computeUnitLimit ?? null,
    compute_units_consumed: built.unitsConsumed ?? null,
    blockhash: 'blockhash' in lifetime ? lifetime.blockhash : null,
    last_valid_block_height: 'blockhash' in lifetime ? lifetime.lastValidBlockHeight.toString() : null,
    nonce: plan.nonce
      ? { account: plan.nonce.account, authority: plan.nonce.authority, value: plan.nonce.nonce }
      : null,
    recipient_requires_memo: built.recipientRequiresMemo,
    memo: plan.memo?.text ?? null,
    references: plan.references,
    transfer_hook: mint.transferHookProgram
      ? { program: mint.transferHookProgram, writable_accounts: writableHookAccounts(plan) }
      : null,
    sender_token_account_delegate: delegate(controls.sender),
    sender_token_account_close_authority: controls.sender?.closeAuthority ?? null,
    recipient_token_account_delegate: delegate(controls.recipient),
    recipient_token_account_close_authority: controls.recipient?.closeAuthority ?? null,
    warnings: [
      ...warnOfMint(plan, mint),
      ...warnOfHook(plan, mint.transferHookProgram),
      ...warnOfControls(plan, controls),
      ...(plan.nonce ? [warnOfNonce(plan.nonce.account)] : []),
      ...(plan.memo ? warnOfMemo(plan.memo.text) : []),
    ],
  };
}
