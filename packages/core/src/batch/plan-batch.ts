import { checkCost, checkPlanSize } from '../decide/check-plan.ts';
import type { Finding } from '../findings/finding.ts';
import type { Prices } from '../plan/compute-budget.ts';
import { planTransfer } from '../plan/plan-transfer.ts';
import type { ReadPayment } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { DecodedBatchFacts } from './batch-facts.ts';
import type { BatchRequest } from './batch-request.ts';
import { makeDistinct, packApart } from './pack-apart.ts';
import { type Pause, transfersPerTurn } from './pause.ts';
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

/** Divides the transfers of a batch among transactions and makes the plan of each, without judging them. */
export async function planBatch(
  batch: BatchRequest,
  facts: DecodedBatchFacts,
  prices: Prices,
  pause: Pause,
): Promise<PlannedBatch> {
  const { payments } = facts;
  const packing = packApart(
    weighBatch(batch, facts),
    payments.map(({ payee }) => payee),
  );
  if ('tooLarge' in packing) return explainTooLarge(packing.tooLarge, facts, prices, pause);
  await pause();
  const { lowerBound, duplicateIndices } = packing;
  const transactions: BatchTransaction[] = [];
  for (const [index, indices] of packing.transactions.entries()) {
    const plan = planOne(facts, indices, prices);
    if ('needsPricesFor' in plan) return 'prices_needed';
    transactions.push({ plan: makeDistinct(plan, duplicateIndices[index] ?? 0), transfers: indices });
  }
  return { transactions, lowerBound };
}

// The last of the transfers takes the place of the recipient, the others those of splits.
function planOne(
  facts: DecodedBatchFacts,
  indices: readonly number[],
  prices: Prices,
): ReturnType<typeof planTransfer> {
  const payments = indices.map((index) => paymentAt(facts, index));
  const last = payments.pop();
  if (!last) throw new Error('a transaction has a transfer');
  return planTransfer(facts.request, { ...facts, payments: [last, ...payments] }, prices);
}

function paymentAt({ payments }: DecodedBatchFacts, index: number): ReadPayment {
  const payment = payments[index];
  if (!payment) throw new Error(`nothing is known of transfer ${index}`);
  return payment;
}

async function explainTooLarge(
  indices: readonly number[],
  facts: DecodedBatchFacts,
  prices: Prices,
  pause: Pause,
): Promise<PlannedBatch> {
  const findings: Finding[] = [];
  for (const [index, transfer] of indices.entries()) {
    if (index % transfersPerTurn === 0) await pause();
    const plan = planOne(facts, [transfer], prices);
    if ('needsPricesFor' in plan) return 'prices_needed';
    const finding = checkCost(plan) ?? checkPlanSize(plan) ?? checkPlanSize(makeDistinct(plan, 1), true);
    if (!finding) throw new Error(`transfer ${transfer} fits into a transaction and into none`);
    findings.push({ ...finding, field: { transfer, part: plan.memo ? 'memo' : 'to' } });
  }
  return { findings };
}
