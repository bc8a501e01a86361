import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { TokenAccount } from '../accounts/token-state.ts';
import { type UiScale, uiScaleAt } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { sortWarnings, type Warning } from '../findings/warning.ts';
import { signersOf } from '../plan/plan-message.ts';
import type { Unwrap, Wrap } from '../plan/plan-wrapping.ts';
import { neverUsedIn } from '../plan/transfer-facts.ts';
import { type Payment, rentOf, sentAmount, type TransferPlan } from '../plan/transfer-plan.ts';
import type { Tip } from '../request/transfer-request.ts';
import { type TransactionVersion, transactionSizeLimit } from '../transaction/encode-transaction.ts';
import type { Lifetime } from '../transaction/lifetime.ts';
import type { DecidedTransfer } from './decide-transfer.ts';
import { warnOfMemo } from './memo-warnings.ts';
import {
  paidAccountsOf,
  warnOfComputeLimit,
  warnOfControls,
  warnOfHook,
  warnOfMax,
  warnOfMint,
  warnOfNeverUsed,
  warnOfNonce,
  warnOfThaw,
  writableHookAccounts,
} from './transfer-warnings.ts';

/** Who may take tokens out of a token account. */
export type TokenAccountControl = Pick<TokenAccount, 'owner' | 'delegate' | 'closeAuthority' | 'isNative'>;

/** What a payment will do. Amounts in base units. */
export interface PaymentSummary {
  recipient: Address;
  recipientTokenAccount: Address;
  amount: bigint;
  transferFee: bigint;
  receivedAmount: bigint;
  createsTokenAccount: boolean;
  /** Whether its frozen token account is thawed before it is paid. */
  thawsTokenAccount: boolean;
  /** Who may take tokens out of it; `undefined` where there is no token account yet. */
  recipientTokenAccountControl: TokenAccountControl | undefined;
}

/** What a sponsor is paid, in a token that need not be the one that is sent. */
export interface SponsorFeeSummary extends Pick<PaymentSummary, 'recipient' | 'recipientTokenAccount' | 'amount'> {
  mint: Address;
  decimals: number;
}

/** Returns what the sponsor is paid by some transactions together; `undefined` where it gets nothing. */
export function summarizeSponsorFee(plans: readonly TransferPlan[]): SponsorFeeSummary | undefined {
  const fees = plans.flatMap(({ sponsorFee }) => sponsorFee ?? []);
  const [first] = fees;
  const [payment] = first?.payments ?? [];
  if (!first || !payment) return undefined;
  const { recipient, recipientTokenAccount } = payment;
  const amount = fees.reduce((sum, fee) => sum + sentAmount(fee), 0n);
  return { recipient, recipientTokenAccount, amount, mint: first.mint, decimals: first.decimals };
}

/** What a built transfer will do, and its payment to the recipient. Fees and rent in lamports. */
export interface TransferSummary extends PaymentSummary {
  transactionVersion: TransactionVersion;
  /** Bytes of the transaction, and the most that the network takes in its version. */
  size: number;
  sizeLimit: number;
  /** In the order of the signatures. */
  signers: readonly Address[];
  feePayer: Address;
  tokenProgram: Address;
  decimals: number;
  /** How wallets show amounts of the mint; `undefined` where they show them as they are. */
  uiScale: UiScale | undefined;
  sender: Address;
  senderTokenAccount: Address;
  networkFee: bigint;
  priorityFee: bigint;
  /** Of all token accounts that are created. */
  rent: bigint;
  tip: Tip | undefined;
  /** What of the sender's SOL is wrapped before, and what comes back at the end; `undefined` where nothing is. */
  wrap: Wrap | undefined;
  unwrap: Unwrap | undefined;
  /** The payments that go before the one to the recipient, in their order. */
  splits: readonly PaymentSummary[];
  /** `undefined` where no sponsor is paid. */
  sponsorFee: SponsorFeeSummary | undefined;
  /** `undefined` where the network's default grant applies. */
  computeUnitLimit: number | undefined;
  /** What a simulation took; `undefined` where none was asked for. */
  computeUnitsConsumed: number | undefined;
  /** `undefined`, as the block height is, where the transaction has a nonce instead. */
  blockhash: string | undefined;
  lastValidBlockHeight: bigint | undefined;
  nonce: NonceAdvance | undefined;
  recipientRequiresMemo: boolean;
  memo: string | undefined;
  references: readonly Address[];
  transferHook: { program: Address; writableAccounts: readonly Address[] } | undefined;
  /** Who may take tokens out of it; `undefined` where there is no token account yet. */
  senderTokenAccountControl: TokenAccountControl | undefined;
  warnings: readonly Warning[];
}

/** An unsigned transaction, what went into it, and what it lives by. */
export interface BuiltTransfer extends DecidedTransfer {
  bytes: Uint8Array;
  lifetime: Lifetime;
  /** Compute units that the simulation took, when one was asked for. */
  unitsConsumed: number | undefined;
}

/** Returns what a built transfer will do once it lands, to the lamport and the base unit. */
export function summarizeTransfer(built: BuiltTransfer): TransferSummary {
  const { plan, mint, clock, lifetime, payments } = built;
  const [recipient, ...splits] = payments.map(({ tokenAccount }) => tokenAccount.state);
  const main = plan.payments.at(-1);
  if (!main) throw new RangeError('a transfer has a payment');
  return {
    transactionVersion: plan.version,
    size: built.bytes.length,
    sizeLimit: transactionSizeLimit(plan.version),
    signers: signersOf(plan),
    feePayer: plan.feePayer,
    tokenProgram: plan.tokenProgram,
    decimals: plan.decimals,
    uiScale: mint.uiAmountConfig && uiScaleAt(mint.uiAmountConfig, clock.unixSeconds),
    sender: plan.sender,
    senderTokenAccount: plan.senderTokenAccount,
    ...summarizePayment(main, recipient),
    networkFee: plan.networkFee,
    priorityFee: plan.priorityFee,
    rent: rentOf(plan),
    tip: plan.tip,
    wrap: plan.wrap,
    unwrap: plan.unwrap,
    splits: plan.payments.slice(0, -1).map((split, index) => summarizePayment(split, splits[index])),
    sponsorFee: summarizeSponsorFee([plan]),
    computeUnitLimit: plan.computeUnitLimit,
    computeUnitsConsumed: built.unitsConsumed,
    blockhash: 'blockhash' in lifetime ? lifetime.blockhash : undefined,
    lastValidBlockHeight: 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined,
    nonce: plan.nonce,
    recipientRequiresMemo: recipient?.requiresMemo ?? false,
    memo: main.memo?.text,
    references: main.references,
    transferHook: mint.transferHookProgram
      ? { program: mint.transferHookProgram, writableAccounts: writableHookAccounts(plan) }
      : undefined,
    senderTokenAccountControl: built.senderTokenAccount.state,
    warnings: warningsOf(built),
  };
}

function warnOfImport({ isFromVault, sender: vault }: TransferPlan): readonly Warning[] {
  return isFromVault ? [{ code: 'for_import_into_multisig', context: { vault } }] : [];
}

function summarizePayment(
  payment: Payment,
  recipientTokenAccountControl: TokenAccountControl | undefined,
): PaymentSummary {
  const { recipient, recipientTokenAccount, amount, transferFee } = payment;
  return {
    recipient,
    recipientTokenAccount,
    amount,
    transferFee,
    receivedAmount: amount - transferFee,
    createsTokenAccount: payment.createsRecipientTokenAccount && !payment.recipientTokenAccountExists,
    thawsTokenAccount: payment.thaw !== undefined,
    recipientTokenAccountControl,
  };
}

function warningsOf({ plan, mint, clock, senderTokenAccount, payments, max }: DecidedTransfer): readonly Warning[] {
  return sortWarnings([
    ...warnOfImport(plan),
    ...warnOfMint(plan, mint, clock),
    ...warnOfHook(plan, mint.transferHookProgram),
    ...warnOfThaw(plan),
    ...warnOfNeverUsed(neverUsedIn(payments)),
    ...warnOfControls(plan, senderTokenAccount.state, paidAccountsOf(payments)),
    ...(plan.nonce ? warnOfNonce(plan.nonce.account) : []),
    ...warnOfComputeLimit(plan),
    ...(max ? warnOfMax(plan, max) : []),
    ...plan.payments.flatMap(({ memo }) => (memo ? warnOfMemo(memo.text) : [])),
  ]);
}
