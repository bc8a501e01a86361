import type { NonceAdvance } from '../accounts/nonce-advance.ts';
import type { Mint } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import type { PriorityFee, TransferRequest } from '../request/transfer-request.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import { decideComputeLimit } from './compute-limit.ts';
import { lamportsPerSignature } from './network-fee.ts';
import { highestPrice, priceOfLevel, priorityFeeOf } from './priority-fee.ts';
import type { TokenAccountPair } from './transfer-accounts.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** What a plan is made of beside the request. */
export interface PlanFacts {
  mint: Mint;
  addresses: TokenAccountPair;
  epoch: bigint;
  recipientTokenAccountExists: boolean;
  /** Lamports that a token account of the recipient's would still cost; 0 when it exists. */
  rentDue: bigint;
  hookAccounts: readonly AccountMeta[];
  nonce: NonceAdvance | undefined;
  /** Micro-lamports per compute unit that others paid lately; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** Lamports. */
  maximumPriorityFee: bigint;
}

/** Makes the plan of a transfer, without judging it; or says that recent prices are needed for it. */
export function planTransfer(request: TransferRequest, facts: PlanFacts): TransferPlan | 'prices_needed' {
  const { mint, addresses } = facts;
  const creates = request.createTokenAccount === 'always';
  const base = {
    version: request.version,
    feePayer: request.feePayer,
    sender: request.from,
    recipient: request.to,
    mint: request.mint,
    tokenProgram: mint.tokenProgram,
    decimals: mint.decimals,
    amount: request.amount,
    senderTokenAccount: addresses.sender,
    senderTokenAccountBump: addresses.senderBump,
    recipientTokenAccount: addresses.recipient,
    recipientTokenAccountBump: addresses.recipientBump,
    createsRecipientTokenAccount: creates,
    memo: request.memo,
    nonce: facts.nonce,
    references: request.references,
    hookAccounts: facts.hookAccounts,
    transferFee: mint.transferFeeConfig
      ? calculateTransferFee(mint.transferFeeConfig, request.amount, facts.epoch)
      : 0n,
    networkFee: networkFeeOf(request),
    rent: creates ? facts.rentDue : 0n,
  };
  const computeUnitLimit = decideComputeLimit(base, {
    paysPriorityFee: request.priorityFee !== undefined,
    recipientTokenAccountExists: facts.recipientTokenAccountExists,
  });
  if (request.priorityFee === undefined || computeUnitLimit === undefined) {
    return { ...base, computeUnitLimit, computeUnitPrice: 0n, priorityFee: 0n };
  }
  const computeUnitPrice = choosePrice(request.priorityFee, facts, computeUnitLimit);
  if (computeUnitPrice === 'prices_needed') return computeUnitPrice;
  const priorityFee = priorityFeeOf(computeUnitPrice, computeUnitLimit);
  return { ...base, computeUnitLimit, computeUnitPrice, priorityFee };
}

// A level is held to the operator's maximum; a price that the caller names is not changed, but refused above it.
function choosePrice(
  priorityFee: NonNullable<PriorityFee>,
  facts: PlanFacts,
  computeUnitLimit: number,
): bigint | 'prices_needed' {
  if ('microLamportsPerComputeUnit' in priorityFee) return priorityFee.microLamportsPerComputeUnit;
  if (facts.recentPrices === undefined) return 'prices_needed';
  const price = priceOfLevel(priorityFee.level, facts.recentPrices);
  const highest = highestPrice(facts.maximumPriorityFee, computeUnitLimit);
  return price < highest ? price : highest;
}

/** Lamports that the network charges for the signatures of a request: the sender's, and the fee payer's if it is another. */
export function networkFeeOf(request: TransferRequest): bigint {
  return lamportsPerSignature * (request.feePayer === request.from ? 1n : 2n);
}
