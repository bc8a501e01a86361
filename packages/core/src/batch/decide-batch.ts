import type { Account } from '../accounts/account.ts';
import { checkNonceAccount } from '../accounts/nonce-account.ts';
import { type Clock, clockSysvar, decodeClock, decodeRent, minimumBalance, rentSysvar } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import { type UiScale, uiScaleAt } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { checkMintAccount, checkMintState } from '../decide/check-mint.ts';
import { checkFeePayerWallet, checkSponsoredSender } from '../decide/check-sender.ts';
import { findingsToReport } from '../decide/decide-transfer.ts';
import type { ReadPayment } from '../decide/read-payment.ts';
import type { Finding } from '../findings/finding.ts';
import { noPause, type Pause } from '../packing/pause.ts';
import { checkPriorityFee } from '../plan/priority-fee.ts';
import type { ReadAccounts } from '../plan/resolve-hook-accounts.ts';
import { batchTokenAccountsOf, deriveBatchTokenAccounts, walletsOfBatch } from './batch-accounts.ts';
import { checkBatchPayments, readBatchPayments, resolveTransfers } from './batch-payments.ts';
import { type BatchRequest, toTransferRequest } from './batch-request.ts';
import { checkBatchLamports, checkBatchSender } from './check-batch.ts';
import { type BatchTransaction, planBatch } from './plan-batch.ts';

/** What a decision on a batch stands on. */
export interface BatchFacts {
  /** Accounts read so far. */
  read: ReadAccounts;
  /** What others paid lately for the accounts written, in micro-lamports per compute unit; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** The most lamports that the operator lets the priority fee of one transaction cost. */
  maxPriorityFee: bigint;
}

/** A batch that lands, in any order of its transactions and whichever of them are sent. */
export interface DecidedBatch {
  transactions: readonly BatchTransaction[];
  /** No packing has fewer transactions than this. */
  lowerBound: number;
  mint: Mint;
  /** How wallets show its amounts now; `undefined` where they show them as they are. */
  uiScale: UiScale | undefined;
  /** That in which the batch was decided. */
  clock: Clock;
  senderTokenAccount: Account | null;
  /** What was read of each transfer, in the order of the request. */
  payments: readonly ReadPayment[];
}

/** The transactions of a batch; or every reason why some would not land; or what must be read before that can be said. */
export type BatchDecision =
  | DecidedBatch
  | { findings: readonly [Finding, ...Finding[]] }
  | { needs: readonly Address[] }
  | { needsPricesFor: readonly Address[] };

// The most accounts for which a node tells recent prices (`MAX_TX_ACCOUNT_LOCKS`, 128 in agave; fewer are asked for).
const maxPricedAccounts = 64;

/**
 * Decides whether a batch would land: the faults of the whole, and those of every transfer, in a fixed order.
 *
 * What the transfers take together is checked as if all other transactions had landed before. `pause` is called every few milliseconds:
 * packing a thousand transfers that all differ takes tens of them. What was given must not change before the end.
 */
export async function decideBatch(
  request: BatchRequest,
  facts: BatchFacts,
  pause: Pause = noPause,
): Promise<BatchDecision> {
  const { read } = facts;
  const unread = unreadWallets(request, read);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  if (unread.length > 0 || !rentData || !clockData) return { needs: unread };
  const checked = checkMintAccount(request.mint, read.get(request.mint) ?? null);
  if ('finding' in checked) return { findings: [checked.finding] };
  const { mint } = checked;

  const { payees, faults } = resolveTransfers(request, mint);
  // Stands for all transactions where the answer is the same for each.
  const whole = toTransferRequest(request, payees);
  const addresses = deriveBatchTokenAccounts(request, mint.tokenProgram);
  const known = await readBatchPayments(whole, mint, payees, addresses, read, pause);
  if ('needs' in known) return known;
  const { payments } = known;
  const nonce = request.nonceAccount === undefined ? undefined : checkNonce(request, request.nonceAccount, read);
  const rent = decodeRent(rentData);
  const clock = decodeClock(clockData);
  await pause();
  const planned = await planBatch(
    request,
    {
      mint,
      addresses,
      payments,
      epoch: clock.epoch,
      nonce: nonce && 'nonce' in nonce ? nonce.nonce : undefined,
      tokenAccountRent: minimumBalance(rent, mint.tokenAccountLength),
      recentPrices: facts.recentPrices,
      maxPriorityFee: facts.maxPriorityFee,
    },
    pause,
  );
  if (planned === 'prices_needed') {
    const accounts = [request.feePayer, ...batchTokenAccountsOf(addresses)];
    return { needsPricesFor: accounts.slice(0, maxPricedAccounts) };
  }

  await pause();
  const transactions = 'transactions' in planned ? planned.transactions : [];
  const plans = transactions.map(({ plan }) => plan);
  const senderTokenAccount = read.get(addresses.sender) ?? null;
  const feePayer = read.get(request.feePayer) ?? null;
  const feePayerWallet = checkFeePayerWallet(request.feePayer, request.from, feePayer);
  const amounts = payees.map(({ amount }, index) => (faults.has(index) ? undefined : amount));
  const findingsOfTransfers = checkBatchPayments(whole, mint, payments, faults);
  const [finding, ...others] = findingsToReport(request, [
    ...checkMintState(request.mint, mint),
    feePayerWallet,
    checkSponsoredSender(whole, mint, read.get(request.from) ?? null),
    ...checkBatchSender(whole, mint, addresses.sender, senderTokenAccount, amounts, transactions.length === 1),
    feePayerWallet ? undefined : checkBatchLamports(plans, feePayer, minimumBalance(rent, 0)),
    nonce && 'finding' in nonce ? nonce.finding : undefined,
    checkNonceCount(request, transactions.length),
    checkHighestPriorityFee(transactions, facts.maxPriorityFee),
    ...findingsOfTransfers,
    ...('findings' in planned ? planned.findings : []),
  ]);
  if (finding) return { findings: [finding, ...others] };
  if (!('transactions' in planned)) throw new Error('a batch without findings has transactions');
  const uiScale = mint.uiAmountConfig && uiScaleAt(mint.uiAmountConfig, clock.unixSeconds);
  return { ...planned, mint, uiScale, clock, senderTokenAccount, payments };
}

// Nearly always none: those of the whole are looked at before a list is made, and those of the transfers when they are read.
function unreadWallets(request: BatchRequest, read: ReadAccounts): readonly Address[] {
  const { mint, from, feePayer, nonceAccount } = request;
  const isRead = (address: Address): boolean => read.get(address) !== undefined;
  const areRead =
    [mint, from, feePayer, rentSysvar, clockSysvar].every(isRead) &&
    (nonceAccount === undefined || isRead(nonceAccount));
  return areRead ? [] : walletsOfBatch(request).filter((address) => !isRead(address));
}

function checkNonce(
  request: BatchRequest,
  nonceAccount: Address,
  read: ReadAccounts,
): ReturnType<typeof checkNonceAccount> {
  const signers = [...new Set([request.feePayer, request.from])];
  return checkNonceAccount(nonceAccount, read.get(nonceAccount) ?? null, signers);
}

function checkNonceCount({ nonceAccount }: BatchRequest, transactionCount: number): Finding | undefined {
  if (nonceAccount === undefined || transactionCount <= 1) return undefined;
  const context = { nonceAccount, transactionCount };
  return { code: 'nonce_for_several_transactions', field: 'nonceAccount', context };
}

function checkHighestPriorityFee(transactions: readonly BatchTransaction[], max: bigint): Finding | undefined {
  const dearest = transactions.reduce((most, { plan }) => (plan.priorityFee > most ? plan.priorityFee : most), 0n);
  return checkPriorityFee(dearest, max);
}
