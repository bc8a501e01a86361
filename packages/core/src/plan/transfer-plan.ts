import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Address } from '../addresses/address.ts';
import type { RecipientField } from '../findings/finding.ts';
import type { Memo } from '../request/memo.ts';
import type { Tip, TransferLayout, TransferRequest } from '../request/transfer-request.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import type { Unwrap, Wrap } from './plan-wrapping.ts';
import type { Thaw } from './resolve-thaw.ts';

/** What a version 1 message is given to load: as much as every other version may (`MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES`). */
export const loadedAccountsDataSizeLimit = 64 * 1024 * 1024;

/** One payment of a transaction: an amount to one recipient. */
export interface Payment {
  recipient: Address;
  recipientTokenAccount: Address;
  recipientTokenAccountBump: number;
  /** Whether the token account was there when this was decided. */
  recipientTokenAccountExists: boolean;
  createsRecipientTokenAccount: boolean;
  /** Base units. */
  amount: bigint;
  /** Base units that the mint withholds from the amount; the recipient gets the rest. */
  transferFee: bigint;
  /** Lamports that the fee payer pays for the recipient's token account; 0 when it exists. */
  rent: bigint;
  /** Directly before this payment; after it in the x402 layout. */
  memo: Memo | undefined;
  /** Read-only accounts of this payment, by which it can be found. */
  references: readonly Address[];
  /** What the mint's transfer hook must be handed in addition to the transfer's own accounts, in this order. */
  hookAccounts: readonly AccountMeta[];
  /** How the recipient's token account is thawed before it is paid; absent where it is not. Never in the x402 layout. */
  thaw?: Thaw;
}

/** Everything that goes into the transaction, decided: the bytes follow from it and from a blockhash alone. */
export interface TransferPlan {
  /**
   * In the x402 layout there is one payment, no nonce and nothing is created; there is a limit, and a price even of 0. In the MPP layout
   * there is no nonce, the account of the last payment is not created, and there is a limit.
   */
  layout: TransferLayout;
  version: TransactionVersion;
  feePayer: Address;
  sender: Address;
  /** `sol` where SOL is paid: then the token program is the System program, and the token account of a wallet the wallet itself. */
  mint: Address;
  tokenProgram: Address;
  /** Of the mint: what a transfer costs grows with it. */
  extensionCount: number;
  decimals: number;
  senderTokenAccount: Address;
  senderTokenAccountBump: number;
  /** In their order. Of a single transfer the last one pays the recipient, the others are its splits. */
  payments: readonly Payment[];
  /** What the sponsor gets before all payments, by a plan of one payment that creates nothing, of which the budget and the fees count for nothing. */
  sponsorFee?: TransferPlan | undefined;
  /** Decided by `decideComputeLimit`; undefined where the default grant is enough. */
  computeUnitLimit: number | undefined;
  /** Micro-lamports; 0 for no priority fee. */
  computeUnitPrice: bigint;
  nonce: NonceAdvance | undefined;
  /** By a System transfer of the fee payer, after all payments; never in a layout but the default one. */
  tip?: Tip;
  /** Before all payments; never with a sponsor's fee, nor in a layout but the default one. */
  wrap?: Wrap;
  /** Between the payments and the tip. */
  unwrap?: Unwrap;
  /** Whether a multisig's program signs for the sender: who executes its proposal pays the fee for the signatures. */
  isFromVault?: boolean;
  /** Lamports that the fee payer pays for the signatures. */
  networkFee: bigint;
  /** Lamports that the fee payer pays on top, to be taken sooner. */
  priorityFee: bigint;
}

/** Returns whether the nonce of a plan has an authority that signs for nothing else. */
export function hasThirdSigner({
  feePayer,
  sender,
  nonce,
}: Pick<TransferPlan, 'feePayer' | 'sender'> & { nonce?: NonceAdvance | undefined }): boolean {
  return nonce !== undefined && nonce.authority !== feePayer && nonce.authority !== sender;
}

/** Base units that the sender sends in all payments of a plan. */
export function sentAmount({ payments }: { payments: readonly Pick<Payment, 'amount'>[] }): bigint {
  return payments.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Lamports that the fee payer pays for all token accounts that a plan creates. */
export function rentOf({ payments }: Pick<TransferCosts, 'payments'>): bigint {
  return payments.reduce((sum, { rent }) => sum + rent, 0n);
}

/** Returns the thaws of a plan, in the order of its payments. */
export function thawsOf({ payments }: { payments: readonly Pick<Payment, 'thaw'>[] }): readonly Thaw[] {
  return payments.flatMap(({ thaw }) => thaw ?? []);
}

/** What a plan costs its fee payer, in lamports. */
export interface TransferCosts extends Pick<TransferPlan, 'networkFee' | 'priorityFee' | 'tip' | 'wrap' | 'unwrap'> {
  payments: readonly Pick<Payment, 'recipient' | 'amount' | 'rent'>[];
}

/** Returns payments in the order in which they are described: the last one, which pays the recipient, then the others. */
export function recipientFirst(payments: readonly Payment[]): readonly Payment[] {
  return [...payments.slice(-1), ...payments.slice(0, -1)];
}

/** Returns whether the layout of a request lets a payment create the token account that it pays. */
export function mayCreateTokenAccount({ layout }: Pick<TransferRequest, 'layout'>, field: RecipientField): boolean {
  return layout !== 'mpp' || field !== 'to';
}

/**
 * Returns whether a payment creates the token account that it pays.
 *
 * `exists`: whether there is one.
 * `before`: the payments that the transaction makes before it, since only the first to a recipient creates the account.
 */
export function createsTokenAccount(
  { createTokenAccount }: Pick<TransferRequest, 'createTokenAccount'>,
  recipient: Address,
  exists: boolean,
  before: readonly { recipient: Address }[],
): boolean {
  if (createTokenAccount === 'never' || (createTokenAccount === 'if_missing' && exists)) return false;
  for (const payment of before) if (payment.recipient === recipient) return false;
  return true;
}

/** The parts of a payment that its instructions are made from. */
export type PaymentParts = Omit<
  Payment,
  'recipientTokenAccountBump' | 'recipientTokenAccountExists' | 'transferFee' | 'rent'
>;

/** The parts of a plan that its message is made from. */
export interface MessageParts
  extends Omit<TransferPlan, 'payments' | 'extensionCount' | 'senderTokenAccountBump' | 'networkFee'> {
  payments: readonly PaymentParts[];
}
