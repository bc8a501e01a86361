import type { Account } from '../accounts/account.ts';
import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import { networkFeeOf } from '../plan/plan-transfer.ts';
import { leastPriorityFee } from '../plan/priority-fee.ts';
import { rentOf, type TransferPlan } from '../plan/transfer-plan.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { checkFeePayerWallet } from './check-sender.ts';

/** What a fee payer has and what a transaction takes, in lamports. */
export interface FeePayment {
  feePayer: Address;
  /** Whether another wallet than the sender pays. */
  isSponsored: boolean;
  balance: bigint;
  networkFee: bigint;
  priorityFee: bigint;
  /** For the account that is created; 0 for none. */
  rent: bigint;
  /** What an account without data must hold to be exempt from rent. */
  minimumBalance: bigint;
}

/**
 * Says why the fee payer's SOL would not do, if so.
 *
 * What it has left must be zero or at least the rent-exempt minimum, once after the fee and once at the end: the runtime
 * refuses a transaction that leaves its fee payer anything between (`InsufficientFundsForRent`).
 */
function checkLamports(payment: FeePayment): Finding | undefined {
  const { balance, networkFee, priorityFee, rent, minimumBalance } = payment;
  const fee = networkFee + priorityFee;
  const isAllowed = (left: bigint): boolean => left === 0n || left >= minimumBalance;
  const afterFee = balance - fee;
  const left = afterFee - rent;
  if (left >= 0n && isAllowed(afterFee) && isAllowed(left)) return undefined;

  const context = { feePayer: payment.feePayer, balance, networkFee, priorityFee, rent, minimumBalance };
  return { code: 'insufficient_sol', field: payment.isSponsored ? 'feePayer' : 'from', context };
}

type PayerCosts = Pick<TransferPlan, 'feePayer' | 'sender' | 'networkFee' | 'priorityFee' | 'rent' | 'splits'>;

/** Returns the finding when the fee payer's account cannot pay for a plan, otherwise undefined. */
export function checkPayment(plan: PayerCosts, account: Account | null, minimum: bigint): Finding | undefined {
  const { feePayer, sender, networkFee, priorityFee } = plan;
  return checkLamports({
    feePayer,
    isSponsored: feePayer !== sender,
    balance: account?.lamports ?? 0n,
    networkFee,
    priorityFee,
    rent: rentOf(plan),
    minimumBalance: minimum,
  });
}

/** Returns the finding when the fee payer cannot pay what a transfer costs whatever its mint turns out to be. */
export function checkLeastPayment(
  request: TransferRequest,
  account: Account | null,
  minimum: bigint,
): Finding | undefined {
  const { feePayer, from: sender } = request;
  const costs = {
    feePayer,
    sender,
    networkFee: networkFeeOf(request),
    priorityFee: leastPriorityFee(request),
    rent: 0n,
    splits: [],
  };
  return checkFeePayerWallet(feePayer, sender, account) ?? checkPayment(costs, account, minimum);
}
