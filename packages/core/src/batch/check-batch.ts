import type { Address } from '../addresses/address.ts';
import { checkMintState } from '../decide/check-mint.ts';
import { checkPriorityFee, hookFinding } from '../decide/check-plan.ts';
import { checkRecipient } from '../decide/check-recipient.ts';
import {
  checkFeePayerWallet,
  checkLamports,
  checkSenderTokenAccount,
  checkSponsoredSender,
} from '../decide/check-sender.ts';
import type { Finding } from '../findings/finding.ts';
import type { AssociatedAccount, MintFacts } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchRequest } from '../request/transfer-request.ts';

/**
 * Returns why a batch would not land: the findings of the whole, then those of each transfer, in a fixed order.
 *
 * What the transfers take together is checked as if all other transactions had landed before.
 */
export function checkBatch(
  batch: BatchRequest,
  facts: MintFacts,
  plans: readonly TransferPlan[],
  maxPriorityFee: bigint,
): readonly (Finding | undefined)[] {
  const { mint } = facts;
  const feePayerWallet = checkFeePayerWallet(batch, facts.feePayer);
  return [
    ...checkMintState(batch.mint, mint),
    feePayerWallet,
    checkSponsoredSender(batch, mint, facts.sender),
    ...checkBatchSender(batch, facts, plans.length === 1),
    feePayerWallet ? undefined : checkBatchLamports(batch, facts, plans),
    facts.nonceFinding,
    checkNonceCount(batch, plans.length),
    checkHighestPriorityFee(plans, maxPriorityFee),
    ...checkBatchPayments(batch, facts),
  ];
}

/**
 * Returns why the sender's token account cannot make all transfers of a batch, whatever the order of its transactions.
 *
 * `isOne`: whether one transaction makes them all, in the order of the request.
 */
export function checkBatchSender(
  batch: BatchRequest,
  { mint, senderTokenAccount, payments }: Pick<MintFacts, 'mint' | 'senderTokenAccount' | 'payments'>,
  isOne: boolean,
): Finding[] {
  const known = payments.filter(({ amountFault }) => !amountFault).map(({ amount }) => amount);
  const inWorstOrder = isOne ? known : worstOrder(batch.from, senderTokenAccount, known);
  const findings: Finding[] = [];
  for (const finding of checkSenderTokenAccount(batch, mint, senderTokenAccount, inWorstOrder, 'transfers')) {
    if (finding.code !== 'insufficient_token_balance') findings.push(finding);
    // What is delegated may be used up by an amount that is not known, and the owner sends the rest.
    else if (!isOne || known.length === payments.length || finding.context.limitedBy === 'balance') {
      findings.push(finding);
    }
  }
  return findings;
}

// An owner that is its own delegate is held to the delegated amount until exactly that is sent. In some order it never is, unless
// all amounts are equal and it is a multiple of theirs.
function worstOrder(sender: Address, { state }: AssociatedAccount, amounts: readonly bigint[]): readonly bigint[] {
  if (state?.delegate?.address !== sender) return amounts;
  const [first = 0n] = amounts;
  if (amounts.every((amount) => amount === first)) return amounts;
  return [amounts.reduce((sum, amount) => sum + amount, 0n)];
}

/**
 * Returns the finding when the fee payer cannot pay for all transactions of a batch, whatever their order, otherwise undefined.
 *
 * A token account that several of them would create costs its rent once.
 */
export function checkBatchLamports(
  batch: BatchRequest,
  { feePayer, emptyAccountRent: minimum }: Pick<MintFacts, 'feePayer' | 'emptyAccountRent'>,
  plans: readonly TransferPlan[],
): Finding | undefined {
  const [first] = plans;
  if (!first) return undefined;
  if (plans.length === 1) return checkLamports(batch, feePayer, first, minimum);
  const networkFee = plans.reduce((sum, plan) => sum + plan.networkFee, 0n);
  const priorityFee = plans.reduce((sum, plan) => sum + plan.priorityFee, 0n);
  const rent = rentOfBatch(plans);
  const balance = feePayer.account?.lamports ?? 0n;
  const left = balance - networkFee - priorityFee - rent;
  if (left >= minimum || (left === 0n && canEachBeLast(plans, minimum))) return undefined;
  return {
    code: 'insufficient_sol',
    field: batch.feePayer === batch.from ? 'from' : 'feePayer',
    context: { feePayer: batch.feePayer, balance, networkFee, priorityFee, rent, minimumBalance: minimum },
  };
}

/** Lamports that the fee payer pays for all token accounts that a batch creates, each once. */
export function rentOfBatch(plans: readonly TransferPlan[]): bigint {
  const rents = new Map<Address, bigint>();
  for (const plan of plans) {
    for (const payment of plan.payments) {
      if (payment.rent > 0n) rents.set(payment.recipientTokenAccount, payment.rent);
    }
  }
  return [...rents.values()].reduce((sum, rent) => sum + rent, 0n);
}

// Before a last transaction that takes all there is, and after its fee, the runtime wants the minimum to be there, or nothing.
function canEachBeLast(plans: readonly TransferPlan[], minimum: bigint): boolean {
  const payerCounts = new Map<Address, number>();
  for (const plan of plans) {
    for (const address of new Set(plan.payments.map((payment) => payment.recipientTokenAccount))) {
      payerCounts.set(address, (payerCounts.get(address) ?? 0) + 1);
    }
  }
  return plans.every((plan) => {
    // What another transaction pays, too, is there by then: whichever comes first creates it.
    const rent = plan.payments.reduce(
      (sum, payment) => (payerCounts.get(payment.recipientTokenAccount) === 1 ? sum + payment.rent : sum),
      0n,
    );
    const fee = plan.networkFee + plan.priorityFee;
    return fee + rent >= minimum && (rent === 0n || rent >= minimum);
  });
}

function checkNonceCount({ nonceAccount }: BatchRequest, transactionCount: number): Finding | undefined {
  if (nonceAccount === undefined || transactionCount <= 1) return undefined;
  const context = { nonceAccount, transactionCount };
  return { code: 'nonce_for_several_transactions', field: 'nonceAccount', context };
}

function checkHighestPriorityFee(plans: readonly TransferPlan[], max: bigint): Finding | undefined {
  const highest = plans.reduce((most, { priorityFee }) => (priorityFee > most ? priorityFee : most), 0n);
  return checkPriorityFee(highest, max);
}

/** Returns what is wrong with each transfer by itself, in their order. */
export function checkBatchPayments(batch: BatchRequest, facts: MintFacts): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [transfer, payment] of facts.payments.entries()) {
    const { amountFault: fault, hookFault } = payment;
    if (fault) {
      const context = { mint: batch.mint, decimals: facts.mint.decimals, fault };
      findings.push({ code: 'amount_not_representable', field: { transfer, part: 'amountDecimal' }, context });
    }
    findings.push(...checkRecipient(batch, facts, payment));
    if (hookFault) findings.push({ ...hookFinding(batch.mint, hookFault), field: payment.field });
  }
  return findings;
}
