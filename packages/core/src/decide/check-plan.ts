import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import type { HookRefusal, SizeExcess } from '../findings/finding-faults.ts';
import { hookAccountCountOf, maxComputeUnits, measuredComputeUnits } from '../plan/compute-budget.ts';
import { planAccountCount, planSize } from '../plan/plan-message.ts';
import type { MintFacts } from '../plan/transfer-facts.ts';
import { hasThirdSigner, type TransferPlan, thawsOf } from '../plan/transfer-plan.ts';
import { mppLimits, type TransferRequest } from '../request/transfer-request.ts';
import { maxAccountCount, transactionSizeLimit } from '../transaction/encode-transaction.ts';

/** Returns why the plan of a transfer makes no transaction that the network takes: of its hook, its computation and its size. */
export function checkPlan(
  request: TransferRequest,
  { payments }: Pick<MintFacts, 'payments'>,
  plan: TransferPlan,
): readonly (Finding | undefined)[] {
  const hookFault = payments.find((payment) => payment.hookFault)?.hookFault;
  if (hookFault) return [hookFinding(request.mint, hookFault)];
  return [checkCost(plan), checkComputeLimit(plan), checkSize(request, plan)];
}

/** Returns the finding when a priority fee is above the most that the operator allows, otherwise undefined. `isLeast`: it may be higher. */
export function checkPriorityFee(priorityFee: bigint, max: bigint, isLeast = false): Finding | undefined {
  if (priorityFee <= max) return undefined;
  return { code: 'priority_fee_too_high', field: 'priorityFee', context: { priorityFee, isLeast, max } };
}

/** Returns the finding when a plan does not fit into a transaction, otherwise undefined. */
export function checkSize(request: TransferRequest, plan: TransferPlan): Finding | undefined {
  const isAsForeseen =
    hookAccountCountOf(plan) === 0 &&
    plan.payments.length === 1 &&
    thawsOf(plan).length === 0 &&
    !plan.tip &&
    !hasThirdSigner(plan) &&
    !plan.wrap &&
    !plan.unwrap &&
    !plan.sponsorFee;
  // Where neither the chain nor splits add to the bytes, the limits of memo and references have kept them within the limit.
  if (isAsForeseen && request.createTokenAccount !== 'if_missing') return undefined;
  return checkPlanSize(plan);
}

/**
 * Returns the finding when the transaction of a plan has too many bytes or accounts, otherwise undefined.
 *
 * `isTwin`: whether it would fit without the compute limit by which it differs from one of the same batch.
 */
export function checkPlanSize(plan: TransferPlan, isTwin = false): Finding | undefined {
  const excess = excessOf(plan);
  if (!excess) return undefined;
  const field = fieldToReduce(plan);
  const [hookAccountCount, splitCount] = [hookAccountCountOf(plan), plan.payments.length - 1];
  const context = { excess, hookAccountCount, splitCount, hasMemo: field === 'memo', isTwin };
  return { code: 'transaction_too_large', field, context };
}

// The value of the request with less of which the transaction would fit.
function fieldToReduce({ payments }: TransferPlan): 'memo' | 'splits' | 'mint' {
  if (payments.at(-1)?.memo) return 'memo';
  return payments.length > 1 ? 'splits' : 'mint';
}

function excessOf(plan: TransferPlan): SizeExcess | undefined {
  const byteLength = planSize(plan);
  const maxByteLength = transactionSizeLimit(plan.version);
  if (byteLength > maxByteLength) return { kind: 'bytes', byteLength, maxByteLength };
  const accountCount = planAccountCount(plan);
  return accountCount > maxAccountCount ? { kind: 'accounts', accountCount, maxAccountCount } : undefined;
}

/**
 * Returns the finding when the instructions of a plan cost more than one transaction may spend, otherwise undefined.
 *
 * What a hook itself takes comes on top, and only its author knows it.
 */
export function checkCost(plan: TransferPlan): Finding | undefined {
  const computeUnits = measuredComputeUnits(plan);
  if (computeUnits <= maxComputeUnits) return undefined;
  if (hookAccountCountOf(plan) > 0) {
    return hookFinding(plan.mint, { kind: 'too_much_computation', computeUnits, maxComputeUnits: maxComputeUnits });
  }
  const hasMemo = fieldToReduce(plan) === 'memo';
  const context = { computeUnits, max: maxComputeUnits, hasMemo };
  return { code: 'transaction_too_costly', field: hasMemo ? 'memo' : 'splits', context };
}

/** Returns the finding when the layout of a plan takes no compute limit as high as the plan needs, otherwise undefined. */
function checkComputeLimit(plan: TransferPlan): Finding | undefined {
  const { layout, computeUnitLimit = 0, mint } = plan;
  const max = mppLimits.maxComputeUnits;
  if (layout !== 'mpp' || computeUnitLimit <= max) return undefined;
  const obstacle = { kind: 'compute_limit', mint, computeUnitLimit, max } as const;
  return { code: 'layout_not_possible', field: fieldToReduce(plan), context: { layout, obstacle } };
}

/** The finding that the accounts or the computation of a mint's hook cannot be had, or that one of them signs. */
export function hookFinding(mint: Address, fault: HookRefusal): Finding {
  if (fault.kind === 'signer_named') {
    return { code: 'transfer_hook_names_signer', field: 'mint', context: { mint, signer: fault.signer } };
  }
  return { code: 'transfer_hook_unresolvable', field: 'mint', context: { mint, fault } };
}
