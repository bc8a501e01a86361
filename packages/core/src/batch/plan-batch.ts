import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Mint } from '../accounts/token-state.ts';
import { checkCost, checkPlanSize } from '../decide/check-size.ts';
import { type Payee, paymentFactsOf, type ReadPayment } from '../decide/read-payment.ts';
import type { Finding } from '../findings/finding.ts';
import { type Pause, transfersPerTurn } from '../packing/pause.ts';
import { type PaymentFacts, planTransfer } from '../plan/plan-transfer.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchTokenAccounts } from './batch-accounts.ts';
import { type BatchRequest, toTransferRequest } from './batch-request.ts';
import { packApart } from './pack-apart.ts';
import { frameOf, parcelOf } from './parcel-of.ts';
import { makeDistinct } from './tell-apart.ts';

/** One transaction of a batch. */
export interface BatchTransaction {
  plan: TransferPlan;
  /** The transfers that it makes, by their indices in the request. */
  transfers: readonly number[];
}

/** What the transactions of a batch are made of in addition to the request. */
export interface BatchPlanFacts {
  mint: Mint;
  addresses: BatchTokenAccounts;
  payments: readonly ReadPayment[];
  epoch: bigint;
  nonce: NonceAdvance | undefined;
  /** Lamports that a token account of the mint must hold. */
  tokenAccountRent: bigint;
  /** Micro-lamports per compute unit that others paid lately; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** Lamports, for each transaction. */
  maxPriorityFee: bigint;
}

/** The transactions of a batch, or why some transfers fit into none. */
export type PlannedBatch =
  | { transactions: readonly BatchTransaction[]; lowerBound: number }
  | { findings: readonly Finding[] }
  | 'prices_needed';

/** Divides the transfers of a batch among transactions and makes the plan of each, without judging them. */
export async function planBatch(request: BatchRequest, facts: BatchPlanFacts, pause: Pause): Promise<PlannedBatch> {
  const { mint, addresses, payments } = facts;
  const frame = frameOf(request, mint, addresses.sender, facts.nonce);
  const parcels = payments.map((payment, index) =>
    parcelOf(payment, addresses.recipients[index]?.bump ?? 255, request, mint, facts.tokenAccountRent),
  );
  const transfers = payments.map(({ payee }) => payee);
  const packing = await packApart(parcels, transfers, frame, pause);
  if ('tooLarge' in packing) return explainTooLarge(packing.tooLarge, request, facts, pause);
  await pause();
  const { lowerBound, duplicateIndices } = packing;
  const transactions: BatchTransaction[] = [];
  for (const [index, indices] of packing.transactions.entries()) {
    const plan = planOne(request, facts, indices);
    if (plan === 'prices_needed') return plan;
    transactions.push({ plan: makeDistinct(plan, duplicateIndices[index] ?? 0), transfers: indices });
  }
  return { transactions, lowerBound };
}

function planOne(
  request: BatchRequest,
  { mint, addresses, payments, tokenAccountRent, ...facts }: BatchPlanFacts,
  indices: readonly number[],
): TransferPlan | 'prices_needed' {
  const { tokenProgram, sender, senderBump } = addresses;
  const transfers: Payee[] = [];
  const accounts: BatchTokenAccounts['recipients'][number][] = [];
  const paymentFacts: PaymentFacts[] = [];
  let at = 0;
  for (let index = indices[0]; index !== undefined; index = indices[++at]) {
    const payment = payments[index];
    const account = addresses.recipients[index];
    if (!payment || !account) throw new Error(`nothing is known of transfer ${index}`);
    transfers.push(payment.payee);
    accounts.push(account);
    paymentFacts.push(paymentFactsOf(payment, tokenAccountRent));
  }
  const planned = toTransferRequest(request, transfers);
  const [account, lastFacts] = [accounts.pop(), paymentFacts.pop()];
  if (!account || !lastFacts) throw new Error('a transaction has a transfer');
  const { address: recipient, bump: recipientBump } = account;
  return planTransfer(planned, {
    ...facts,
    ...lastFacts,
    mint,
    amount: planned.amount,
    addresses: { tokenProgram, sender, senderBump, recipient, recipientBump, splits: accounts },
    splits: paymentFacts,
  });
}

async function explainTooLarge(
  indices: readonly number[],
  request: BatchRequest,
  facts: BatchPlanFacts,
  pause: Pause,
): Promise<PlannedBatch> {
  const findings: Finding[] = [];
  for (const [index, transfer] of indices.entries()) {
    if (index % transfersPerTurn === 0) await pause();
    const plan = planOne(request, facts, [transfer]);
    if (plan === 'prices_needed') return plan;
    const finding = checkCost(plan) ?? checkPlanSize(plan) ?? checkPlanSize(makeDistinct(plan, 1), true);
    if (!finding) throw new Error(`transfer ${transfer} fits into a transaction and into none`);
    findings.push({ ...finding, field: { transfer, part: plan.memo ? 'memo' : 'to' } });
  }
  return { findings };
}
