import type { ReadAccounts } from '../accounts/account.ts';
import { type Address, sol } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import { findingCodes } from '../findings/finding-codes.ts';
import type { Prices } from '../plan/compute-budget.ts';
import { inTransactionOrder, leastCostsOf, planTransfer } from '../plan/plan-transfer.ts';
import { type DecodedFacts, decodeFacts, type MintFacts } from '../plan/transfer-facts.ts';
import { sentAmount, type TransferPlan } from '../plan/transfer-plan.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { checkSolReceived, checkTip, lamportsOf, spendingOf } from './check-lamports.ts';
import { checkMint } from './check-mint.ts';
import { checkPlan, checkPriorityFee } from './check-plan.ts';
import { checkRecipients } from './check-recipient.ts';
import { checkSender, sponsorFeesOf } from './check-sender.ts';
import { type DecidedSponsorFee, decideSponsorFee } from './decide-sponsor-fee.ts';

/** What a decision on a transfer or a batch stands on. The prices of a batch are those of each transaction. */
export interface TransferFacts extends Prices {
  /** Accounts read so far. */
  read: ReadAccounts;
}

/** A transfer that would land, and what a summary is made from. */
export interface DecidedTransfer
  extends Pick<MintFacts, 'mint' | 'clock' | 'tokenAccountRent' | 'senderTokenAccount' | 'payments'> {
  plan: TransferPlan;
  /** Where the amount is "max": what the sender holds, and what of it stays, in base units. */
  max?: { held: bigint; left: bigint };
}

/** What can be said once all accounts are read: what goes into the transaction, every reason why it would not land, or that prices are needed. */
export type DecisionFromFacts =
  | DecidedTransfer
  | { findings: readonly [Finding, ...Finding[]] }
  | { needsPricesFor: readonly Address[] };

/** What goes into the transaction; or every reason why it would not land; or what must be read before that can be said. */
export type Decision = DecisionFromFacts | { needs: readonly Address[] };

/**
 * Decides whether a transfer would land: all its findings, in a fixed order.
 *
 * Asks for accounts and prices only as far as it cannot decide without them.
 */
export function decideTransfer(request: TransferRequest, known: TransferFacts): Decision {
  const facts = decodeFacts(request, known.read);
  const fee = decideSponsorFee(request, known.read);
  if ('needs' in facts || 'needs' in fee) return mergeNeeds([facts, fee]);
  return decideFromFacts(request, facts, known, fee);
}

/** Returns all accounts that must be read first, each once. */
export function mergeNeeds(parts: readonly object[]): { needs: readonly Address[] } {
  const needs = parts.flatMap((part) => ('needs' in part && Array.isArray(part.needs) ? part.needs : []));
  return { needs: [...new Set<Address>(needs)] };
}

/** Decides whether a transfer would land, by what the chain says of it. */
export function decideFromFacts(
  request: TransferRequest,
  given: DecodedFacts,
  prices: Prices,
  fee: DecidedSponsorFee = { plans: [], findings: [] },
): DecisionFromFacts {
  const isAllSol = request.amount === 'max' && request.mint === sol;
  const facts = isAllSol && given.mint ? withAllSol(request, given, prices) : given;
  const plan =
    facts.mint &&
    planTransfer(request, { ...facts, sponsorFee: fee.plans[0] }, inTransactionOrder(facts.payments), prices);
  if (plan && 'needsPricesFor' in plan) return plan;
  const costs = plan ?? leastCostsOf(request);
  const [first, ...others] = findingsToReport(request, [
    ...checkMint(request, facts),
    ...checkSender(request, facts, costs),
    ...checkRecipients(request, facts),
    ...checkSolReceived(request, facts, facts.payments, costs),
    checkTip(request, facts),
    ...fee.findings,
    facts.nonceFinding,
    checkPriorityFee(costs.priorityFee, prices.maxPriorityFee, plan === undefined),
    ...(facts.mint && plan ? checkPlan(request, facts, plan) : []),
  ]);
  if (first) return { findings: [first, ...others] };
  if (!facts.mint || !plan) throw new Error('a transfer of what is no mint has a finding');
  const { mint, clock, tokenAccountRent, senderTokenAccount, payments } = facts;
  const decided = { plan, mint, clock, tokenAccountRent, senderTokenAccount, payments };
  return request.amount === 'max' ? { ...decided, max: maxOf(request, facts, plan) } : decided;
}

// The fees do not depend on the amount.
function withAllSol(request: TransferRequest, facts: MintFacts, prices: Prices): MintFacts {
  const plan = planTransfer(request, facts, inTransactionOrder(facts.payments), prices);
  const [main, ...splits] = facts.payments;
  if ('needsPricesFor' in plan || !main) return facts;
  const { networkFee, priorityFee, rent, sent } = spendingOf(request.from, request, plan);
  const left = lamportsOf(facts.sender) - networkFee - priorityFee - rent - sent;
  return { ...facts, payments: [{ ...main, amount: left > 0n ? left : 1n }, ...splits] };
}

function maxOf(request: TransferRequest, facts: MintFacts, plan: TransferPlan): NonNullable<DecidedTransfer['max']> {
  if (request.mint === sol) return { held: lamportsOf(facts.sender), left: 0n };
  const held = facts.senderTokenAccount.state?.amount ?? 0n;
  const [fee = 0n] = sponsorFeesOf(request, 1);
  return { held, left: held - sentAmount(plan) - fee };
}

/** Returns the findings for which a request is refused: without checks, those are left out that funding or time can change. */
export function findingsToReport(
  { checks }: Pick<TransferRequest, 'checks'>,
  findings: readonly (Finding | undefined)[],
): readonly Finding[] {
  const found = findings.filter((finding) => finding !== undefined);
  if (checks !== 'none' || found.length === 0) return found;
  return found.filter(({ code }) => {
    const unchecked = findingCodes[code];
    return unchecked !== 'funding' && unchecked !== 'time';
  });
}
