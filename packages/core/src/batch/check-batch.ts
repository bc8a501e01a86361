import { type Address, sol } from '../addresses/address.ts';
import {
  checkLamports,
  checkSolReceived,
  insufficientSol,
  type LamportFacts,
  lamportsOf,
  receivedBy,
  type Spending,
  spendersOf,
  spendingOf,
} from '../decide/check-lamports.ts';
import { checkMintState } from '../decide/check-mint.ts';
import { checkPriorityFee, hookFinding } from '../decide/check-plan.ts';
import { checkRecipient } from '../decide/check-recipient.ts';
import {
  checkPayingWallets,
  checkSenderTokenAccount,
  checkSponsoredSender,
  sponsorFeesOf,
} from '../decide/check-sender.ts';
import type { Finding } from '../findings/finding.ts';
import type { AssociatedAccount, MintFacts } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchRequest } from '../request/transfer-request.ts';
import { findingsInWhole, type KnownTransfers } from './batch-parts.ts';
import type { BatchTransaction } from './plan-batch.ts';

/** The part of a batch that pays one mint, what the chain says of it, and its transactions: none where some transfers fit into none. */
export interface PlannedPart {
  part: KnownTransfers;
  facts: MintFacts;
  transactions: readonly BatchTransaction[];
}

/**
 * Returns why a batch would not land: the findings of the whole, then those of each transfer, in a fixed order.
 *
 * What the transfers take together is checked as if all other transactions had landed before.
 */
export function checkBatch(
  batch: BatchRequest,
  parts: readonly PlannedPart[],
  maxPriorityFee: bigint,
): readonly (Finding | undefined)[] {
  const [first] = parts;
  if (!first) return [];
  const { facts } = first;
  const plans = parts.flatMap(({ transactions }) => transactions.map(({ plan }) => plan));
  const solPart = parts.find(({ part }) => part.request.mint === sol);
  const wallets = (solPart ?? first).part.request;
  const notWallets = checkPayingWallets(wallets, facts);
  const ofEach = (check: (part: PlannedPart) => readonly (Finding | undefined)[]): readonly Finding[] =>
    parts.flatMap((each) => findingsInWhole(each.part, check(each)));
  return [
    ...ofEach((each) => checkMintState(each.part.request.mint, each.facts.mint)),
    ...notWallets,
    ...ofEach((each) => checkPartSender(each, plans.length)),
    ...(notWallets.length > 0 ? [] : checkBatchLamports(wallets, facts, plans)),
    facts.nonceFinding,
    checkNonceCount(batch, plans.length),
    checkHighestPriorityFee(plans, maxPriorityFee),
    ...ofEach((each) => checkBatchPayments(each.part.request, each.facts)),
    ...ofEach(({ part, facts: own, transactions }) =>
      transactions.flatMap(({ plan }) => checkSolReceived(part.request, own, own.payments, plan)),
    ),
  ];
}

function checkPartSender(
  { part: { request }, facts, transactions }: PlannedPart,
  transactionCount: number,
): readonly (Finding | undefined)[] {
  const multisig = checkSponsoredSender(request, facts.mint, facts.sender);
  if (request.mint === sol) return [multisig];
  // The sponsor may get the same token in the transactions of other mints, too.
  const paysFees = request.sponsorFee?.mint === request.mint;
  return [multisig, ...checkBatchSender(request, facts, paysFees ? transactionCount : transactions.length)];
}

/**
 * Returns why the sender's token account cannot make all transfers of a batch, whatever the order of its transactions.
 *
 * `transactionCount`: how many make them; one makes them all in the order of the request.
 */
export function checkBatchSender(
  batch: BatchRequest,
  { mint, senderTokenAccount, payments }: Pick<MintFacts, 'mint' | 'senderTokenAccount' | 'payments'>,
  transactionCount: number,
): Finding[] {
  const isOne = transactionCount === 1;
  const fees = sponsorFeesOf(batch, transactionCount);
  const known = payments.filter(({ amountFault }) => !amountFault).map(({ amount }) => amount);
  const amounts = [...fees, ...known];
  const inWorstOrder = isOne ? amounts : worstOrder(batch.from, senderTokenAccount, amounts);
  const findings: Finding[] = [];
  for (const finding of checkSenderTokenAccount(batch, mint, senderTokenAccount, inWorstOrder, 'transfers', fees)) {
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
 * Returns why the fee payer, or the sender of SOL, cannot pay for all transactions of a batch, whatever their order.
 *
 * `batch`: its mint is SOL where a plan pays SOL. A token account that several of them would create costs its rent once.
 */
export function checkBatchLamports(
  batch: BatchRequest,
  facts: LamportFacts,
  plans: readonly TransferPlan[],
): readonly Finding[] {
  const [first] = plans;
  if (!first) return [];
  if (plans.length === 1) return checkLamports({ ...batch, mint: first.mint }, facts, first);
  const minimum = facts.emptyAccountRent;
  const ownRents = ownRentsOf(plans);
  return spendersOf(batch, facts).flatMap((spender) => {
    const isPayer = spender.address === batch.feePayer;
    const spendings = plans.map((plan) => spendingOf(spender.address, { ...batch, mint: plan.mint }, plan));
    const sumOf = (part: keyof Spending): bigint => spendings.reduce((sum, spending) => sum + spending[part], 0n);
    const total: Spending = {
      networkFee: sumOf('networkFee'),
      priorityFee: sumOf('priorityFee'),
      rent: isPayer ? rentOfBatch(plans) : 0n,
      sent: sumOf('sent'),
    };
    const steps = plans.map((plan, index) => {
      const { networkFee = 0n, priorityFee = 0n, sent = 0n } = spendings[index] ?? {};
      const received = plan.mint === sol ? receivedBy(spender.address, plan) : 0n;
      const loss = networkFee + priorityFee + sent + (isPayer ? (ownRents[index] ?? 0n) : 0n) - received;
      return { fee: networkFee + priorityFee, loss };
    });
    const sharedRent = isPayer ? ownRents.reduce((rest, rent) => rest - rent, total.rent) : 0n;
    const isPaid = canPayInEveryOrder(lamportsOf(spender.wallet) - sharedRent, steps, minimum);
    return isPaid ? [] : [insufficientSol(batch, spender, total, minimum)];
  });
}

/**
 * Returns whether a wallet has nothing or the minimum after each fee and each transaction, in every order of them: the runtime refuses what
 * leaves anything else.
 *
 * A transaction finds least where all others have landed that take more (`loss`) than they bring. Where it leaves nothing then, one of the
 * others less, or one that brings more, makes the difference: that must be the minimum, too.
 */
function canPayInEveryOrder(
  lamports: bigint,
  steps: readonly { fee: bigint; loss: bigint }[],
  minimum: bigint,
): boolean {
  const isAllowed = (held: bigint): boolean => held === 0n || held >= minimum;
  const least = steps.reduce((held, { loss }) => (loss > 0n ? held - loss : held), lamports);
  const small = steps.filter(({ loss }) => !isAllowed(loss < 0n ? -loss : loss));
  return steps.every((step) => {
    const { fee, loss } = step;
    // It takes nothing of a sender of SOL who sends tokens, too.
    if (fee === 0n && loss === 0n) return true;
    const before = loss > 0n ? least + loss : least;
    const [afterFee, after] = [before - fee, before - loss];
    const isEmptied = after === 0n || (fee > 0n && afterFee === 0n);
    return (
      (fee === 0n || isAllowed(afterFee)) && isAllowed(after) && !(isEmptied && small.some((other) => other !== step))
    );
  });
}

/** Lamports that the fee payer pays in each transaction for token accounts that no other of them pays. */
function ownRentsOf(plans: readonly TransferPlan[]): readonly bigint[] {
  const payerCounts = new Map<Address, number>();
  for (const plan of plans) {
    for (const address of new Set(plan.payments.map((payment) => payment.recipientTokenAccount))) {
      payerCounts.set(address, (payerCounts.get(address) ?? 0) + 1);
    }
  }
  return plans.map(({ payments }) =>
    payments.reduce(
      (sum, { recipientTokenAccount, rent }) => (payerCounts.get(recipientTokenAccount) === 1 ? sum + rent : sum),
      0n,
    ),
  );
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
