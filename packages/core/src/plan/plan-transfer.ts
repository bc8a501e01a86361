import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Mint } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import type { Address } from '../addresses/address.ts';
import type { PriorityFee, TransferLayout, TransferRequest } from '../request/transfer-request.ts';
import { x402Limits } from '../request/x402-limits.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import { decideComputeLimit } from './compute-limit.ts';
import { highestPrice, priceOfLevel, priorityFeeOf } from './priority-fee.ts';
import { createsTokenAccount } from './token-account-creation.ts';
import type { TransferTokenAccounts } from './transfer-accounts.ts';
import type { Payment, TransferPlan } from './transfer-plan.ts';

/** Lamports that the network charges for each signature (`DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE` of the runtime). */
const lamportsPerSignature = 5000n;

/** What the chain says of one payment. */
export interface PaymentFacts {
  recipientTokenAccountExists: boolean;
  /** Lamports that a token account of the recipient's would still cost; 0 when it exists. */
  rentDue: bigint;
  hookAccounts: readonly AccountMeta[];
}

/** What a plan is made of in addition to the request. Of the payment that comes last, and of each split. */
export interface PlanFacts extends PaymentFacts {
  mint: Mint;
  /** Base units of the payment that comes last. */
  amount: bigint;
  addresses: TransferTokenAccounts;
  epoch: bigint;
  splits: readonly PaymentFacts[];
  nonce: NonceAdvance | undefined;
  /** Micro-lamports per compute unit that others paid lately; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** Lamports. */
  maxPriorityFee: bigint;
}

/** Makes the plan of a transfer, without judging it; or says that recent prices are needed for it. */
export function planTransfer(request: TransferRequest, facts: PlanFacts): TransferPlan | 'prices_needed' {
  const { mint, addresses } = facts;
  const splits = planSplits(request, facts);
  const createsRecipientTokenAccount = createsTokenAccount(
    request,
    request.to,
    facts.recipientTokenAccountExists,
    splits,
  );
  const plan: TransferPlan = {
    layout: request.layout,
    version: request.version,
    feePayer: request.feePayer,
    sender: request.from,
    recipient: request.to,
    mint: request.mint,
    tokenProgram: mint.tokenProgram,
    decimals: mint.decimals,
    amount: facts.amount,
    senderTokenAccount: addresses.sender,
    senderTokenAccountBump: addresses.senderBump,
    recipientTokenAccount: addresses.recipient,
    recipientTokenAccountBump: addresses.recipientBump,
    recipientTokenAccountExists: facts.recipientTokenAccountExists,
    createsRecipientTokenAccount,
    splits,
    memo: request.memo,
    nonce: facts.nonce,
    references: request.references,
    hookAccounts: facts.hookAccounts,
    transferFee: transferFeeOf(facts, facts.amount),
    networkFee: networkFeeOf(request),
    rent: createsRecipientTokenAccount ? facts.rentDue : 0n,
    computeUnitLimit: undefined,
    computeUnitPrice: 0n,
    priorityFee: 0n,
  };
  plan.computeUnitLimit = decideComputeLimit(plan, request.priorityFee !== undefined);
  if (request.priorityFee === undefined || plan.computeUnitLimit === undefined) return plan;
  const price = choosePrice(request.layout, request.priorityFee, facts, plan.computeUnitLimit);
  if (price === 'prices_needed') return price;
  plan.computeUnitPrice = price;
  plan.priorityFee = priorityFeeOf(price, plan.computeUnitLimit);
  return plan;
}

function planSplits(request: TransferRequest, facts: PlanFacts): readonly Payment[] {
  if (request.splits.length === 0) return noSplits;
  const splits: Payment[] = [];
  let index = 0;
  for (let split = request.splits[0]; split; split = request.splits[++index]) {
    const { to, amount, memo, references = noReferences } = split;
    const account = facts.addresses.splits[index];
    const payment = facts.splits[index];
    if (!account || !payment) throw new Error(`nothing is known of split ${index}`);
    const { recipientTokenAccountExists, rentDue, hookAccounts } = payment;
    const createsRecipientTokenAccount = createsTokenAccount(request, to, recipientTokenAccountExists, splits);
    splits.push({
      recipient: to,
      recipientTokenAccount: account.address,
      recipientTokenAccountBump: account.bump,
      recipientTokenAccountExists,
      createsRecipientTokenAccount,
      amount,
      transferFee: transferFeeOf(facts, amount),
      rent: createsRecipientTokenAccount ? rentDue : 0n,
      memo,
      references,
      hookAccounts,
    });
  }
  return splits;
}

const noSplits: readonly Payment[] = [];
const noReferences: readonly Address[] = [];

function transferFeeOf({ mint, epoch }: PlanFacts, amount: bigint): bigint {
  return mint.transferFeeConfig ? calculateTransferFee(mint.transferFeeConfig, amount, epoch) : 0n;
}

// A level is held to the maximum of the operator and of the layout; a price that the caller names is not changed, but refused above it.
function choosePrice(
  layout: TransferLayout,
  priorityFee: NonNullable<PriorityFee>,
  facts: PlanFacts,
  computeUnitLimit: number,
): bigint | 'prices_needed' {
  if ('microLamportsPerComputeUnit' in priorityFee) return priorityFee.microLamportsPerComputeUnit;
  if (facts.recentPrices === undefined) return 'prices_needed';
  const price = priceOfLevel(priorityFee.level, facts.recentPrices);
  const highest = highestPrice(facts.maxPriorityFee, computeUnitLimit);
  const allowed = price < highest ? price : highest;
  return layout === 'x402' && allowed > x402Limits.maxComputeUnitPrice ? x402Limits.maxComputeUnitPrice : allowed;
}

/** Lamports that the network charges for the signatures of a request: the sender's, and the fee payer's if it is another. */
export function networkFeeOf(request: TransferRequest): bigint {
  return lamportsPerSignature * (request.feePayer === request.from ? 1n : 2n);
}
