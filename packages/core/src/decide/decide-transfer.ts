import type { Account } from '../accounts/account.ts';
import { checkNonceAccount, type NonceAdvance } from '../accounts/nonce-account.ts';
import { type Clock, clockSysvar, decodeClock, decodeRent, minimumBalance, rentSysvar } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import { type UiScale, uiScaleAt } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import { findingCodes } from '../findings/finding-codes.ts';
import type { BaseUnitFault } from '../findings/finding-faults.ts';
import { planTransfer } from '../plan/plan-transfer.ts';
import { checkLeastPriorityFee, checkPriorityFee } from '../plan/priority-fee.ts';
import type { ReadAccounts } from '../plan/resolve-hook-accounts.ts';
import {
  accountsOfEveryTransfer,
  deriveTokenAccounts,
  type TransferTokenAccounts,
  tokenAccountsOf,
} from '../plan/transfer-accounts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { resolveAmount } from '../request/decimal-amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { checkLeastPayment, checkPayment } from './check-lamports.ts';
import { checkHookOfLayout } from './check-layout.ts';
import { checkMintAccount, checkMintState } from './check-mint.ts';
import { checkPayeeOfAnyMint, checkRecipient } from './check-recipient.ts';
import { checkFeePayerWallet, checkSenderTokenAccount, checkSponsoredSender } from './check-sender.ts';
import { checkCost, checkSize, hookFinding } from './check-size.ts';
import {
  amountsInOrder,
  isNeverUsed,
  payeesOf,
  paymentFactsOf,
  type ReadPayment,
  readPayment,
} from './read-payment.ts';

/** What a decision stands on. */
export interface TransferFacts {
  /** Accounts read so far. */
  read: ReadAccounts;
  /** What others paid lately for the accounts written, in micro-lamports per compute unit; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** The most lamports that the operator lets a priority fee cost. */
  maxPriorityFee: bigint;
}

/** A transfer that would land, and what a summary is made from. */
export interface DecidedTransfer {
  plan: TransferPlan;
  mint: Mint;
  /** How wallets show its amounts now; `undefined` where they show them as they are. */
  uiScale: UiScale | undefined;
  /** That in which the transfer was decided. */
  clock: Clock;
  recipientRequiresMemo: boolean;
  /** The recipients that the chain knows nothing of, each once. */
  neverUsed: readonly Address[];
  /** As they were read; `null` where there is no token account. */
  senderTokenAccount: Account | null;
  recipientTokenAccount: Account | null;
  splitTokenAccounts: readonly (Account | null)[];
}

/** What goes into the transaction; or every reason why it would not land; or what must be read before that can be said. */
export type Decision =
  | DecidedTransfer
  | { findings: readonly [Finding, ...Finding[]] }
  | { needs: readonly Address[] }
  | { needsPricesFor: readonly Address[] };

/**
 * Decides whether a transfer would land: all its findings, in a fixed order.
 *
 * Asks for accounts and prices only as far as it cannot decide without them.
 */
export function decideTransfer(request: TransferRequest, facts: TransferFacts): Decision {
  const { read } = facts;
  const mintAccount = read.get(request.mint);
  const feePayer = read.get(request.feePayer);
  const sender = read.get(request.from);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  const hasWallets = feePayer !== undefined && sender !== undefined && hasEveryRecipient(request, read);
  if (mintAccount === undefined || !hasWallets || !rentData || !clockData) {
    return { needs: accountsOfEveryTransfer(request) };
  }
  const checked = checkMintAccount(request.mint, mintAccount);
  const rent = decodeRent(rentData);
  const nonce = resolveNonce(request, read);
  if ('finding' in checked) {
    if (nonce && 'needs' in nonce) return nonce;
    const others = [
      checkLeastPayment(request, feePayer, minimumBalance(rent, 0)),
      ...payeesOf(request, 0n).map((payee) => checkPayeeOfAnyMint(request, payee, read.get(payee.to) ?? null)),
      nonce && 'finding' in nonce ? nonce.finding : undefined,
      checkLeastPriorityFee(request, facts.maxPriorityFee),
    ];
    return { findings: [checked.finding, ...findingsToReport(request, others)] };
  }
  const { mint } = checked;
  const amount = resolveAmount(request.amount, mint.decimals);

  const addresses = deriveTokenAccounts(request, mint.tokenProgram);
  const senderTokenAccount = read.get(addresses.sender);
  if (senderTokenAccount === undefined || hasUnreadTokenAccount(addresses, read)) {
    return { needs: tokenAccountsOf(addresses) };
  }
  const payees = payeesOf(request, 'baseUnits' in amount ? amount.baseUnits : 0n);
  const source = { request, mint, senderTokenAccount: addresses.sender };
  const main = readPayment(source, payees[0], addresses.recipient, read);
  const splits: ReadPayment[] = [];
  const needs: Address[] = 'needs' in main ? [...main.needs] : [];
  for (const [index, { address }] of addresses.splits.entries()) {
    const payee = payees[index + 1];
    const split = payee && readPayment(source, payee, address, read);
    if (split && 'needs' in split) needs.push(...split.needs);
    else if (split) splits.push(split);
  }
  if ('needs' in main || needs.length > 0) return { needs: [...new Set(needs)] };
  if (nonce && 'needs' in nonce) return nonce;

  const rentOfTokenAccount = minimumBalance(rent, mint.tokenAccountLength);
  const clock = decodeClock(clockData);
  const plan = planTransfer(request, {
    ...paymentFactsOf(main, rentOfTokenAccount),
    amount: main.payee.amount,
    mint,
    addresses,
    epoch: clock.epoch,
    splits: splits.map((split) => paymentFactsOf(split, rentOfTokenAccount)),
    nonce: nonce && 'nonce' in nonce ? nonce.nonce : unusableNonce(request),
    recentPrices: facts.recentPrices,
    maxPriorityFee: facts.maxPriorityFee,
  });
  if (plan === 'prices_needed') return { needsPricesFor: [request.feePayer, ...tokenAccountsOf(addresses)] };

  const feePayerWallet = checkFeePayerWallet(request.feePayer, request.from, feePayer);
  const hookFault = main.hookFault ?? splits.find((split) => split.hookFault)?.hookFault;
  const [first, ...others] = findingsToReport(request, [
    'fault' in amount ? amountFinding(request, mint, amount.fault) : undefined,
    ...checkMintState(request.mint, mint),
    checkHookOfLayout(request, mint),
    feePayerWallet,
    checkSponsoredSender(request, mint, sender),
    ...checkSenderTokenAccount(request, mint, addresses.sender, senderTokenAccount, amountsInOrder(payees)),
    feePayerWallet ? undefined : checkPayment(plan, feePayer, minimumBalance(rent, 0)),
    ...checkRecipient(request, mint, main),
    ...splits.flatMap((split) => checkRecipient(request, mint, split)),
    nonce && 'finding' in nonce ? nonce.finding : undefined,
    checkPriorityFee(plan.priorityFee, facts.maxPriorityFee),
    ...(hookFault ? [hookFinding(request.mint, hookFault)] : [checkCost(plan), checkSize(request, plan)]),
  ]);
  if (first) return { findings: [first, ...others] };
  return {
    plan,
    mint,
    uiScale: mint.uiAmountConfig && uiScaleAt(mint.uiAmountConfig, clock.unixSeconds),
    clock,
    neverUsed: [...new Set([main, ...splits].filter(isNeverUsed).map(({ payee }) => payee.to))],
    recipientRequiresMemo: main.tokenAccount?.requiresMemo ?? false,
    senderTokenAccount,
    recipientTokenAccount: main.account,
    splitTokenAccounts: splits.map(({ account }) => account),
  };
}

function hasUnreadTokenAccount({ recipient, splits }: TransferTokenAccounts, read: ReadAccounts): boolean {
  return read.get(recipient) === undefined || splits.some(({ address }) => read.get(address) === undefined);
}

function hasEveryRecipient({ to, splits }: TransferRequest, read: ReadAccounts): boolean {
  return read.get(to) !== undefined && splits.every((split) => read.get(split.to) !== undefined);
}

function amountFinding({ mint }: TransferRequest, { decimals }: Mint, fault: BaseUnitFault): Finding {
  return { code: 'amount_not_representable', field: 'amountDecimal', context: { mint, decimals, fault } };
}

function resolveNonce(
  request: TransferRequest,
  read: ReadAccounts,
): ReturnType<typeof checkNonceAccount> | { needs: readonly Address[] } | undefined {
  const { nonceAccount } = request;
  if (nonceAccount === undefined) return undefined;
  const account = read.get(nonceAccount);
  if (account === undefined) return { needs: [nonceAccount] };
  return checkNonceAccount(nonceAccount, account, [...new Set([request.feePayer, request.from])]);
}

// Stands in a plan that is refused for its nonce account, so that its size is what it would be with one that can be used.
function unusableNonce({ nonceAccount, from }: TransferRequest): NonceAdvance | undefined {
  return nonceAccount && { account: nonceAccount, authority: from, nonce: systemProgram };
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
