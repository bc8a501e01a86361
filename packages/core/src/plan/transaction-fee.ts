import { priorityFeeOf } from './compute-budget.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** How the network charges for a transaction. A later rule may also count the accounts it writes, its bytes and its compute limit. */
export interface FeeRule {
  lamportsPerSignature: bigint;
}

/** The rule in force (`DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE` of the runtime). */
export const feeRule: FeeRule = { lamportsPerSignature: 5_000n };

/** The parts of a plan that its fee depends on. */
export type FeeParts = Pick<TransferPlan, 'feePayer' | 'sender' | 'computeUnitLimit' | 'computeUnitPrice'>;

/** Lamports that the fee payer is charged even if the transaction fails. */
export type TransactionFee = Pick<TransferPlan, 'networkFee' | 'priorityFee'>;

/**
 * Returns the fee of a plan under a rule.
 *
 * The only place that knows what the network charges: checks, summaries and batches read the fee from plans, which have it from here.
 */
export function feeOf(plan: FeeParts, rule: FeeRule): TransactionFee {
  const signatures = plan.feePayer === plan.sender ? 1n : 2n;
  return {
    networkFee: signatures * rule.lamportsPerSignature,
    priorityFee: priorityFeeOf(plan.computeUnitPrice, plan.computeUnitLimit ?? 0),
  };
}
