import { checkCost, checkPlanSize } from '../decide/check-plan.ts';
import type { Finding } from '../findings/finding.ts';
import type { Prices } from '../plan/compute-budget.ts';
import { planTransfer } from '../plan/plan-transfer.ts';
import type { Steps } from '../plan/steps.ts';
import type { MintFacts, ReadPayment } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchRequest } from '../request/transfer-request.ts';
import { makeDistinct, packApart } from './pack-apart.ts';
import { weighBatch } from './weigh-batch.ts';

/** One transaction of a batch. */
export interface BatchTransaction {
  plan: TransferPlan;
  /** The transfers that it makes, by their indices in the request. */
  transfers: readonly number[];
}

/** The transactions of a batch, or why some transfers fit into none. */
export type PlannedBatch =
  | { transactions: readonly BatchTransaction[]; lowerBound: number }
  | { findings: readonly Finding[] }
  | 'prices_needed';

/** What the chain says of a batch, and how its transactions pay the sponsor: of each amount one plan. */
type BatchFacts = MintFacts & { sponsorFees?: readonly TransferPlan[] };

/** Divides the transfers of a batch among transactions and makes the plan of each, without judging them. */
export function* planBatch(batch: BatchRequest, facts: BatchFacts, prices: Prices): Steps<PlannedBatch> {
  const packing = yield* packApart(weighBatch(batch, { ...facts, sponsorFee: facts.sponsorFees?.[0] }), facts.payments);
  const plan = (indices: readonly number[], transaction = 0) =>
    planTransfer(
      batch,
      { ...facts, sponsorFee: feeOfTransaction(batch, facts, transaction) },
      paymentsAt(facts, indices),
      prices,
    );
  if ('tooLarge' in packing) return yield* explainTooLarge(packing.tooLarge, plan);
  const { lowerBound, duplicateIndices } = packing;
  const transactions: BatchTransaction[] = [];
  for (const [index, indices] of packing.transactions.entries()) {
    const planned = plan(indices, index);
    if ('needsPricesFor' in planned) return 'prices_needed';
    transactions.push({ plan: makeDistinct(planned, duplicateIndices[index] ?? 0), transfers: indices });
    yield;
  }
  return { transactions, lowerBound };
}

function feeOfTransaction(
  { sponsorFee }: BatchRequest,
  { sponsorFees = [] }: BatchFacts,
  transaction: number,
): TransferPlan | undefined {
  const amount = sponsorFee?.amounts[transaction] ?? 0n;
  // None is of an amount that the sponsor is still to name.
  const plan = sponsorFees.find(({ payments: [payment] }) => payment?.amount === amount) ?? sponsorFees[0];
  return plan && { ...plan, payments: plan.payments.map((payment) => ({ ...payment, amount })) };
}

function paymentsAt({ payments }: MintFacts, indices: readonly number[]): readonly ReadPayment[] {
  return indices.map((index) => {
    const payment = payments[index];
    if (!payment) throw new RangeError(`there is no transfer ${index}`);
    return payment;
  });
}

function* explainTooLarge(
  indices: readonly number[],
  plan: (indices: readonly number[]) => ReturnType<typeof planTransfer>,
): Steps<PlannedBatch> {
  const findings: Finding[] = [];
  for (const transfer of indices) {
    const planned = plan([transfer]);
    if ('needsPricesFor' in planned) return 'prices_needed';
    const finding = checkCost(planned) ?? checkPlanSize(planned) ?? checkPlanSize(makeDistinct(planned, 1), true);
    if (!finding) throw new Error(`transfer ${transfer} fits into a transaction and into none`);
    findings.push({ ...finding, field: { transfer, part: planned.payments[0]?.memo ? 'memo' : 'to' } });
    yield;
  }
  return { findings };
}
