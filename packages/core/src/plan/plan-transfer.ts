import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Clock } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import type { Address } from '../addresses/address.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { choosePrice, decideComputeLimit, leastBudgetOf, type Prices } from './compute-budget.ts';
import { feeOf, feeRule } from './transaction-fee.ts';
import type { AssociatedAccount, ReadPayment } from './transfer-facts.ts';
import {
  createsTokenAccount,
  mayCreateTokenAccount,
  type Payment,
  type TransferCosts,
  type TransferPlan,
} from './transfer-plan.ts';

/** The parts of a request that a plan is made from, in addition to its payments. */
export type PlanRequest = Pick<
  TransferRequest,
  'layout' | 'version' | 'feePayer' | 'from' | 'mint' | 'createTokenAccount' | 'priorityFee'
>;

/** What the chain says that a plan is made from. The payments: the one that comes last, then those before it in their order. */
export interface PlanFacts {
  mint: Mint;
  clock: Pick<Clock, 'epoch'>;
  tokenAccountRent: bigint;
  senderTokenAccount: Pick<AssociatedAccount, 'address' | 'bump'>;
  payments: readonly [PlannedPayment, ...PlannedPayment[]];
  nonce: NonceAdvance | undefined;
}

/** The parts of a payment that a plan is made from. */
export type PlannedPayment = Pick<ReadPayment, 'payee' | 'tokenAccount' | 'hookAccounts' | 'thaw'>;

/** Makes the plan of a transfer, without judging it; or returns the accounts for which recent prices are needed. */
export function planTransfer(
  request: PlanRequest,
  facts: PlanFacts,
  prices: Prices,
): TransferPlan | { needsPricesFor: readonly Address[] } {
  const { mint, senderTokenAccount } = facts;
  const [last, ...others] = facts.payments;
  const splits: Payment[] = [];
  for (const payment of others) splits.push(planPayment(request, facts, payment, splits));
  const plan: TransferPlan = {
    ...planPayment(request, facts, last, splits),
    layout: request.layout,
    version: request.version,
    feePayer: request.feePayer,
    sender: request.from,
    mint: request.mint,
    tokenProgram: mint.tokenProgram,
    decimals: mint.decimals,
    senderTokenAccount: senderTokenAccount.address,
    senderTokenAccountBump: senderTokenAccount.bump,
    splits,
    nonce: facts.nonce,
    computeUnitLimit: undefined,
    computeUnitPrice: 0n,
    networkFee: 0n,
    priorityFee: 0n,
  };
  plan.computeUnitLimit = decideComputeLimit(plan, request.priorityFee !== undefined);
  if (request.priorityFee !== undefined && plan.computeUnitLimit !== undefined) {
    const price = choosePrice(request.layout, request.priorityFee, prices, plan.computeUnitLimit);
    if (price === undefined) {
      const paid = facts.payments.map(({ tokenAccount }) => tokenAccount.address);
      return { needsPricesFor: [request.feePayer, senderTokenAccount.address, ...paid] };
    }
    plan.computeUnitPrice = price;
  }
  return Object.assign(plan, feeOf(plan, feeRule));
}

function planPayment(
  request: PlanRequest,
  { mint, clock, tokenAccountRent }: PlanFacts,
  { payee, tokenAccount, hookAccounts, thaw }: PlannedPayment,
  before: readonly Payment[],
): Payment {
  const { to, amount, memo, references } = payee;
  const exists = tokenAccount.state !== undefined;
  const createsRecipientTokenAccount =
    mayCreateTokenAccount(request, payee.field) && createsTokenAccount(request, to, exists, before);
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
  const { feePayer, from: sender } = request;
  return { ...feeOf({ feePayer, sender, ...leastBudgetOf(request) }, feeRule), rent: 0n, splits: [] };
}
