import { priorityFeeOf } from './compute-budget.ts';
import { hasThirdSigner, type TransferPlan } from './transfer-plan.ts';

/** What the network charges for each signature (`DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE` of the runtime). */
const lamportsPerSignature = 5_000n;

/**
 * Returns the lamports that the fee payer of a plan is charged even if the transaction fails.
 *
 * The only place that knows what the network charges: checks, summaries and batches read the fee from plans, which have it from here.
 */
export function feeOf(
  plan: Pick<TransferPlan, 'feePayer' | 'sender' | 'computeUnitLimit' | 'computeUnitPrice'> &
    Partial<Pick<TransferPlan, 'nonce' | 'isFromVault'>>,
): Pick<TransferPlan, 'networkFee' | 'priorityFee'> {
  if (plan.isFromVault) return { networkFee: 0n, priorityFee: 0n };
  const signatures = (plan.feePayer === plan.sender ? 1n : 2n) + (hasThirdSigner(plan) ? 1n : 0n);
  return {
    networkFee: signatures * lamportsPerSignature,
    priorityFee: priorityFeeOf(plan.computeUnitPrice, plan.computeUnitLimit ?? 0),
  };
}
