import type { Finding } from '../findings/finding.ts';
import { planSize } from '../plan/plan-size.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';

/** Returns the finding when a plan with a transfer hook does not fit into a transaction, otherwise undefined. */
export function judgeSize(plan: TransferPlan): Finding | undefined {
  // Without a hook the limits of memo and references have seen to it.
  if (plan.hookAccounts.length === 0) return undefined;
  const byteLength = planSize(plan);
  const maxByteLength = transactionSizeLimit(plan.version);
  if (byteLength <= maxByteLength) return undefined;
  const hasMemo = plan.memo !== undefined;
  const context = { byteLength, maxByteLength, hookAccountCount: plan.hookAccounts.length, hasMemo };
  return { code: 'transaction_too_large', field: hasMemo ? 'memo' : 'mint', context };
}
