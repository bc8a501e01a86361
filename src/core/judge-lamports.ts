import type { Finding } from '../errors.ts';
import type { Address } from './address.ts';
import { formatAmount } from './format-amount.ts';

/** Lamports that the network charges for each signature (`DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE` of the runtime). */
export const lamportsPerSignature = 5000n;

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

const solDecimals = 9;

/**
 * Says why the fee payer's SOL would not do, if so.
 *
 * What it has left must be zero or at least the rent-exempt minimum, once after the fee and once at the end: the runtime
 * refuses a transaction that leaves its fee payer anything between (`InsufficientFundsForRent`).
 */
export function judgeLamports(payment: FeePayment): Finding | undefined {
  const { balance, networkFee, priorityFee, rent, minimumBalance } = payment;
  const fee = networkFee + priorityFee;
  const isAllowed = (left: bigint): boolean => left === 0n || left >= minimumBalance;
  const afterFee = balance - fee;
  const left = afterFee - rent;
  if (left >= 0n && isAllowed(afterFee) && isAllowed(left)) return undefined;

  const sol = (lamports: bigint): string => `${lamports} lamports (${formatAmount(lamports, solDecimals)} SOL)`;
  const cost = fee + rent;
  const forRent = rent > 0n ? ` and ${rent} for the rent of the new token account` : '';
  const forPriority = priorityFee > 0n ? `, ${priorityFee} for the priority fee` : '';
  const takes = `the transaction takes ${sol(cost)}: ${networkFee} for the network fee${forPriority}${forRent}`;
  const needs = `${cost + minimumBalance} lamports`;
  const reason =
    left < 0n
      ? `${-left} lamports are missing`
      : `that would leave ${left}, and the network lets a wallet keep either nothing or at least ${minimumBalance}`;
  return {
    code: 'insufficient_sol',
    pointer: payment.isSponsored ? '/fee_payer' : '/from_address',
    detail: `${payment.feePayer} has ${sol(balance)}; ${takes}; ${reason}. Fund it to at least ${needs}.`,
  };
}
