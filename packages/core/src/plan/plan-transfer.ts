import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Clock } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import type { Address } from '../addresses/address.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { choosePrice, decideComputeLimit, leastBudgetOf, type Prices } from './compute-budget.ts';
import { planWrapping } from './plan-wrapping.ts';
import { feeOf } from './transaction-fee.ts';
import type { AssociatedAccount, ReadPayment } from './transfer-facts.ts';
import {
  createsTokenAccount,
  mayCreateTokenAccount,
  type Payment,
  sentAmount,
  type TransferCosts,
  type TransferPlan,
} from './transfer-plan.ts';

/** The parts of a request that a plan is made from, in addition to its payments. */
export type PlanRequest = Pick<
  TransferRequest,
  | 'layout'
  | 'version'
  | 'feePayer'
  | 'from'
  | 'mint'
  | 'createTokenAccount'
  | 'priorityFee'
  | 'tip'
  | 'wrap'
  | 'unwrap'
  | 'isFromVault'
>;

/** What the chain says that a plan is made from, of all payments. */
export interface PlanFacts {
  mint: Mint;
  clock: Pick<Clock, 'epoch'>;
  tokenAccountRent: bigint;
  senderTokenAccount: Pick<AssociatedAccount, 'address' | 'bump' | 'state' | 'lamports'>;
  nonce: NonceAdvance | undefined;
  sponsorFee?: TransferPlan | undefined;
}

/** The parts of a payment that a plan is made from. */
export type PlannedPayment = Omit<ReadPayment, 'wallet' | 'hookFault' | 'amountFault'>;

/** Returns the payments of a single transfer as its transaction makes them: the splits, then the one to the recipient. */
export function inTransactionOrder<Each>([recipient, ...splits]: readonly Each[]): readonly Each[] {
  return recipient === undefined ? splits : [...splits, recipient];
}

/** Makes the plan of a transaction with these payments in this order, without judging it; or returns the accounts for which recent prices are needed. */
export function planTransfer(
  request: PlanRequest,
  facts: PlanFacts,
  payments: readonly PlannedPayment[],
  prices: Prices,
): TransferPlan | { needsPricesFor: readonly Address[] } {
  const { mint, senderTokenAccount } = facts;
  const planned: Payment[] = [];
  for (const payment of payments) planned.push(planPayment(request, facts, payment, planned));
  const plan: TransferPlan = {
    layout: request.layout,
    version: request.version,
    feePayer: request.feePayer,
    sender: request.from,
    mint: request.mint,
    tokenProgram: mint.tokenProgram,
    extensionCount: mint.extensionCount,
    decimals: mint.decimals,
    senderTokenAccount: senderTokenAccount.address,
    senderTokenAccountBump: senderTokenAccount.bump,
    payments: planned,
    ...(facts.sponsorFee && { sponsorFee: facts.sponsorFee }),
    nonce: facts.nonce,
    computeUnitLimit: undefined,
    computeUnitPrice: 0n,
    networkFee: 0n,
    priorityFee: 0n,
  };
  if (request.tip) plan.tip = request.tip;
  if (request.wrap || request.unwrap) Object.assign(plan, planWrapping(request, facts, sentAmount(plan)));
  if (request.isFromVault) plan.isFromVault = true;
  plan.computeUnitLimit = decideComputeLimit(plan, request.priorityFee !== undefined);
  if (request.priorityFee !== undefined && plan.computeUnitLimit !== undefined) {
    const price = choosePrice(request.layout, request.priorityFee, prices, plan.computeUnitLimit);
    if (price === undefined) {
      const paid = payments.map(({ tokenAccount }) => tokenAccount.address);
      return { needsPricesFor: [request.feePayer, senderTokenAccount.address, ...paid] };
    }
    plan.computeUnitPrice = price;
  }
  return Object.assign(plan, feeOf(plan));
}

function planPayment(
  request: PlanRequest,
  { mint, clock, tokenAccountRent }: PlanFacts,
  { to, field, amount, memo, references, tokenAccount, hookAccounts, thaw }: PlannedPayment,
  before: readonly Payment[],
): Payment {
  const exists = tokenAccount.state !== undefined;
  const createsRecipientTokenAccount =
    mayCreateTokenAccount(request, field) && createsTokenAccount(request, to, exists, before);
  const config = mint.transferFeeConfig;
  const payment: Payment = {
    recipient: to,
    recipientTokenAccount: tokenAccount.address,
    recipientTokenAccountBump: tokenAccount.bump,
    recipientTokenAccountExists: exists,
    createsRecipientTokenAccount,
    amount,
    transferFee: config ? calculateTransferFee(config, amount, clock.epoch) : 0n,
    rent: createsRecipientTokenAccount && !exists ? missingRent(tokenAccountRent, tokenAccount.lamports) : 0n,
    memo,
    references,
    hookAccounts,
  };
  // The first payment of a recipient thaws its token account for all.
  if (thaw && before.every(({ recipient }) => recipient !== to)) payment.thaw = thaw;
  return payment;
}

// An address can hold lamports before its account is created: the payer adds what is missing (System `create_account` of the
// associated token program).
function missingRent(minimum: bigint, held: bigint): bigint {
  return held < minimum ? minimum - held : 0n;
}

/** Returns what a transfer costs at least, whatever its mint is: without the rent of token accounts. */
export function leastCostsOf(request: TransferRequest): TransferCosts {
  const { feePayer, from: sender, isFromVault = false } = request;
  return {
    ...feeOf({ feePayer, sender, isFromVault, ...leastBudgetOf(request) }),
    payments: [],
    ...(request.tip && { tip: request.tip }),
  };
}
