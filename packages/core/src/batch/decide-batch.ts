import type { ReadAccounts } from '../accounts/account.ts';
import type { Address } from '../addresses/address.ts';
import { decideSponsorFee } from '../decide/decide-sponsor-fee.ts';
import {
  type DecidedTransfer,
  type Decision,
  findingsToReport,
  mergeNeeds,
  type TransferFacts,
} from '../decide/decide-transfer.ts';
import type { Finding } from '../findings/finding.ts';
import type { Steps } from '../plan/steps.ts';
import { type DecodedFacts, decodeInSteps, type MintFacts } from '../plan/transfer-facts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchRequest } from '../request/transfer-request.ts';
import { findingsInWhole, indexInWhole, type KnownTransfers, partsByMint } from './batch-parts.ts';
import { checkBatch, checkBatchPayments, type PlannedPart } from './check-batch.ts';
import { type BatchTransaction, planBatch } from './plan-batch.ts';

/** What of a batch pays one mint: the payments in their order, and the plans of the transactions that make them. */
export interface DecidedPart
  extends Pick<MintFacts, 'mint' | 'clock' | 'tokenAccountRent' | 'senderTokenAccount' | 'payments'> {
  plans: readonly TransferPlan[];
  /** Of each payment in the request. */
  indices: readonly number[];
}

/** A batch that lands, in any order of its transactions and whichever of them are sent. */
export interface DecidedBatch {
  /** One for each mint. */
  parts: readonly DecidedPart[];
  /** Each pays one mint. */
  transactions: readonly BatchTransaction[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
}

/** The transactions of a batch; or every reason why some would not land; or what must be read before that can be said. */
export type BatchDecision = DecidedBatch | Exclude<Decision, DecidedTransfer>;

// The most accounts for which a node tells recent prices (`MAX_TX_ACCOUNT_LOCKS`, 128 in agave; fewer are asked for).
const maxPricedAccounts = 64;

/**
 * Decides whether a batch would land: the faults of the whole, and those of every transfer, in a fixed order.
 *
 * What the transfers take together is checked as if all other transactions had landed before. In steps, since packing a thousand
 * transfers that all differ takes tens of milliseconds.
 */
export function* decideBatch(request: BatchRequest, { read, ...prices }: TransferFacts): Steps<BatchDecision> {
  const parts = partsByMint(request);
  const decoded = yield* decodeParts(parts, read);
  const payingFee = parts.find((part) => part.request.mint === request.sponsorFee?.mint) ?? parts[0];
  const feeRequest = payingFee?.request ?? request;
  const fee = decideSponsorFee(feeRequest, read, request.sponsorFee?.amounts.length || 1);
  if ('needs' in decoded || 'needs' in fee) return mergeNeeds([decoded, fee]);
  if ('findings' in decoded) return decoded;
  const planned: PlannedPart[] = [];
  const misfits: Finding[] = [];
  const priced: Address[] = [];
  let count = 0;
  let lowerBound = 0;
  for (const { part, facts } of decoded.known) {
    const amounts = request.sponsorFee?.amounts.slice(count) ?? [];
    const own = { ...part.request, sponsorFee: request.sponsorFee && { ...request.sponsorFee, amounts } };
    const answer = yield* planBatch(own, { ...facts, sponsorFees: fee.plans }, prices);
    if (answer === 'prices_needed') {
      priced.push(facts.senderTokenAccount.address, ...facts.payments.map(({ tokenAccount }) => tokenAccount.address));
      continue;
    }
    if ('findings' in answer) misfits.push(...findingsInWhole(part, answer.findings));
    const transactions = 'transactions' in answer ? answer.transactions : [];
    planned.push({ part, facts, transactions });
    count += transactions.length;
    lowerBound += 'transactions' in answer ? answer.lowerBound : 0;
  }
  if (priced.length > 0)
    return { needsPricesFor: [...new Set([request.feePayer, ...priced])].slice(0, maxPricedAccounts) };

  const fees = decideSponsorFee(feeRequest, read, count);
  const [finding, ...others] = findingsToReport(request, [
    ...('findings' in fees ? fees.findings : []),
    ...checkBatch(request, planned, prices.maxPriorityFee),
    ...misfits,
  ]);
  if (finding) return { findings: [finding, ...others] };
  return { parts: planned.map(decidedPart), transactions: planned.flatMap(transactionsInWhole), lowerBound };
}

function decidedPart({ part, facts, transactions }: PlannedPart): DecidedPart {
  const { mint, clock, tokenAccountRent, senderTokenAccount, payments } = facts;
  const plans = transactions.map(({ plan }) => plan);
  return { mint, clock, tokenAccountRent, senderTokenAccount, payments, plans, indices: part.indices };
}

function transactionsInWhole({ part, transactions }: PlannedPart): readonly BatchTransaction[] {
  return transactions.map(({ plan, transfers }) => {
    return { plan, transfers: transfers.map((transfer) => indexInWhole(part, transfer)) };
  });
}

type KnownPart = Pick<PlannedPart, 'part' | 'facts'>;

/** Decodes the parts of a batch; or returns what must be read first, or what is wrong where a mint cannot be used. */
function* decodeParts(
  parts: readonly KnownTransfers[],
  read: ReadAccounts,
): Steps<
  { known: readonly KnownPart[] } | { findings: readonly [Finding, ...Finding[]] } | { needs: readonly Address[] }
> {
  const decoded: { part: KnownTransfers; facts: DecodedFacts }[] = [];
  const needs: Address[] = [];
  for (const part of parts) {
    const facts = yield* decodeInSteps(part.request, read);
    if ('needs' in facts) needs.push(...facts.needs);
    else decoded.push({ part, facts });
  }
  if (decoded.length < parts.length) return { needs };
  const known = decoded.flatMap(({ part, facts }) => (facts.mint ? [{ part, facts }] : []));
  const [first, ...others] = decoded.flatMap(({ part, facts }) =>
    facts.mint ? [] : findingsInWhole(part, [facts.mintFinding]),
  );
  if (!first) return { known };
  return { findings: [first, ...others, ...known.flatMap(findTransferFaults)] };
}

function findTransferFaults({ part, facts }: KnownPart): readonly Finding[] {
  return findingsInWhole(part, findingsToReport(part.request, checkBatchPayments(part.request, facts)));
}

/**
 * Finds what is wrong with each transfer of a batch by itself, or returns the accounts that must be read first.
 *
 * For a batch that is refused anyway: its other transfers are then checked in the same round.
 */
export function* checkTransfersOfBatch(
  request: BatchRequest,
  read: ReadAccounts,
): Steps<{ findings: readonly Finding[] } | { needs: readonly Address[] }> {
  const decoded = yield* decodeParts(partsByMint(request), read);
  return 'known' in decoded ? { findings: decoded.known.flatMap(findTransferFaults) } : decoded;
}
