import type { ReadAccounts } from '../accounts/account.ts';
import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import { planTransfer } from '../plan/plan-transfer.ts';
import { decodeFacts, type MintFacts } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { PaymentsRequest, TransferRequest } from '../request/transfer-request.ts';
import { checkMint } from './check-mint.ts';
import { hookFinding } from './check-plan.ts';
import { checkRecipients } from './check-recipient.ts';
import { checkSenderTokenAccount } from './check-sender.ts';

/** How the sponsor is paid in each transaction. */
export interface DecidedSponsorFee {
  /** Of each amount that is paid one: a hook can demand other accounts for another amount. Empty where the sponsor gets nothing. */
  plans: readonly TransferPlan[];
  /** Why it cannot be paid. What is left in the sender's account after the payments is checked with these, where the token is the same. */
  findings: readonly Finding[];
}

/**
 * Decides whether the sponsor's fee would be paid, as a transfer of its own is decided; or returns what must be read first.
 *
 * `transactionCount`: how many transactions pay it.
 */
export function decideSponsorFee(
  request: PaymentsRequest,
  read: ReadAccounts,
  transactionCount = 1,
): DecidedSponsorFee | { needs: readonly Address[] } {
  const { sponsorFee } = request;
  if (!sponsorFee) return { plans: [], findings: [] };
  const amounts = Array.from({ length: transactionCount }, (_, index) => sponsorFee.amounts[index] ?? 0n);
  const needs: Address[] = [];
  const plans: TransferPlan[] = [];
  let findings: readonly Finding[] = [];
  for (const amount of new Set(amounts)) {
    const ofFee = feeRequest(request, sponsorFee, amount);
    const facts = decodeFacts(ofFee, read);
    if ('needs' in facts) {
      needs.push(...facts.needs);
      continue;
    }
    if (!facts.mint) return { plans: [], findings: [atFee(facts.mintFinding)] };
    const plan = planTransfer(ofFee, facts, facts.payments, { recentPrices: undefined, maxPriorityFee: 0n });
    if ('needsPricesFor' in plan) throw new Error('a fee is paid without a priority fee');
    plans.push({ ...plan, nonce: undefined });
    // What is wrong with one amount is mostly wrong with all.
    if (findings.length === 0) findings = findFaults(ofFee, facts, sponsorFee.mint === request.mint ? [] : amounts);
  }
  return needs.length > 0 ? { needs: [...new Set(needs)] } : { plans, findings };
}

// `amounts`: those of all transactions, where no other payment is of their token.
function findFaults(ofFee: TransferRequest, facts: MintFacts, amounts: readonly bigint[]): readonly Finding[] {
  const { mint, senderTokenAccount } = facts;
  const ofOtherToken = () => [
    ...checkMint(ofFee, facts),
    ...checkSenderTokenAccount(ofFee, mint, senderTokenAccount, amounts, 'amount'),
  ];
  const hookFaults = facts.payments.flatMap(({ hookFault }) => hookFault ?? []);
  return [
    ...(amounts.length > 0 ? ofOtherToken() : []),
    ...checkRecipients(ofFee, facts),
    ...hookFaults.map((fault) => hookFinding(ofFee.mint, fault)),
  ]
    .filter((finding) => finding !== undefined)
    .map(atFee);
}

// Its account must be there: its rent would be the sponsor's, and a Kora server signs no creation of an account of its own signer.
function feeRequest(
  { from, feePayer, version, checks, nonceAccount }: PaymentsRequest,
  { to, mint }: NonNullable<PaymentsRequest['sponsorFee']>,
  amount: bigint,
): TransferRequest {
  return {
    ...{ layout: 'default', createTokenAccount: 'never', priorityFee: undefined },
    ...{ from, feePayer, version, checks, nonceAccount, to, mint, amount, memo: undefined, references: [], splits: [] },
    allowsOffCurveRecipient: true,
  };
}

function atFee(finding: Finding): Finding {
  return { ...finding, field: 'sponsorFee' };
}
