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
import { decodeInSteps, type MintFacts } from '../plan/transfer-facts.ts';
import type { BatchRequest } from '../request/transfer-request.ts';
import { checkBatch, checkBatchPayments } from './check-batch.ts';
import { type BatchTransaction, planBatch } from './plan-batch.ts';

/** A batch that lands, in any order of its transactions and whichever of them are sent. */
export interface DecidedBatch extends Pick<MintFacts, 'mint' | 'clock' | 'senderTokenAccount' | 'payments'> {
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
  const facts = yield* decodeInSteps(request, read);
  const fee = decideSponsorFee(request, read);
  if ('needs' in facts || 'needs' in fee) return mergeNeeds([facts, fee]);
  if (!facts.mint) return { findings: [facts.mintFinding] };
  const planned = yield* planBatch(request, { ...facts, sponsorFee: fee.plan }, prices);
  if (planned === 'prices_needed') {
    const { senderTokenAccount, payments } = facts;
    const paid = payments.map(({ tokenAccount }) => tokenAccount.address);
    const accounts = [request.feePayer, ...new Set([senderTokenAccount.address, ...paid])];
    return { needsPricesFor: accounts.slice(0, maxPricedAccounts) };
  }

  const plans = 'transactions' in planned ? planned.transactions.map(({ plan }) => plan) : [];
  const fees = decideSponsorFee(request, read, plans.length);
  const [finding, ...others] = findingsToReport(request, [
    ...('findings' in fees ? fees.findings : []),
    ...checkBatch(request, facts, plans, prices.maxPriorityFee),
    ...('findings' in planned ? planned.findings : []),
  ]);
  if (finding) return { findings: [finding, ...others] };
  if (!('transactions' in planned)) throw new Error('a batch without findings has transactions');
  const { mint, clock, senderTokenAccount, payments } = facts;
  return { ...planned, mint, clock, senderTokenAccount, payments };
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
  const facts = yield* decodeInSteps(request, read);
  if ('needs' in facts) return facts;
  if (!facts.mint) return { findings: [facts.mintFinding] };
  return { findings: findingsToReport(request, checkBatchPayments(request, facts)) };
}
