import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import type { HookFault } from '../findings/finding-faults.ts';
import { maxComputeUnits, measuredComputeUnits } from '../plan/compute-cost.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';

/**
 * Returns the finding when the instructions of a plan cost more than one transaction may spend, otherwise undefined.
 *
 * What a hook itself takes comes on top, and only its author knows it.
 */
export function checkCost(plan: TransferPlan): Finding | undefined {
  const isHooked = plan.hookAccounts.length > 0;
  const computeUnits = measuredComputeUnits(plan);
  if (computeUnits <= maxComputeUnits) return undefined;
  if (isHooked) {
    return hookFinding(plan.mint, { kind: 'too_much_computation', computeUnits, maxComputeUnits: maxComputeUnits });
  }
  const hasMemo = plan.memo !== undefined;
  const context = { computeUnits, max: maxComputeUnits, hasMemo };
  return { code: 'transaction_too_costly', field: hasMemo ? 'memo' : 'splits', context };
}

/** The finding that the accounts or the computation of a mint's hook cannot be had. */
export function hookFinding(mint: Address, fault: HookFault): Finding {
  return { code: 'transfer_hook_unresolvable', field: 'mint', context: { mint, fault } };
}
