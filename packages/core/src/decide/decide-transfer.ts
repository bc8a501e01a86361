import type { Account } from '../accounts/account.ts';
import { judgeNonceAccount } from '../accounts/nonce-account.ts';
import type { NonceAdvance } from '../accounts/nonce-advance.ts';
import { clockSysvar, decodeEpoch, decodeRent, minimumBalance, rentSysvar } from '../accounts/sysvars.ts';
import { decodeTokenAccount, type Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import { findingCodes } from '../findings/finding-codes.ts';
import type { HookFault } from '../findings/finding-faults.ts';
import { maximumComputeUnits, measuredComputeUnits } from '../plan/compute-cost.ts';
import { networkFeeOf, type PlanFacts, planTransfer } from '../plan/plan-transfer.ts';
import { judgeLeastPriorityFee, judgePriorityFee, leastPriorityFee } from '../plan/priority-fee.ts';
import { type ReadAccounts, resolveHookAccounts } from '../plan/resolve-hook-accounts.ts';
import { accountsOfEveryTransfer, type TransferTokenAccounts } from '../plan/transfer-accounts.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { judgeLamports } from './judge-lamports.ts';
import { judgeMintAccount, judgeMintState } from './judge-mint.ts';
import {
  judgeOffCurve,
  judgeRecipientKind,
  judgeRecipientTokenAccount,
  judgeRecipientWallet,
} from './judge-recipient.ts';
import { judgeFeePayerWallet, judgeSenderTokenAccount, judgeSponsoredSender } from './judge-sender.ts';
import { judgeSize } from './judge-size.ts';

/** What a decision stands on. */
export interface TransferFacts {
  /** Accounts read so far. */
  read: ReadAccounts;
  /** Gives the token accounts of all wallets under a token program. */
  tokenAccountsUnder: (tokenProgram: Address) => TransferTokenAccounts;
  /** What others paid lately for the accounts written, in micro-lamports per compute unit; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** The most lamports that the operator lets a priority fee cost. */
  maximumPriorityFee: bigint;
}

/** A transfer that would land, and what a summary is made from. */
export interface DecidedTransfer {
  plan: TransferPlan;
  mint: Mint;
  recipientRequiresMemo: boolean;
  /** As they were read; `null` where there is no token account. */
  senderTokenAccount: Account | null;
  recipientTokenAccount: Account | null;
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
  const recipient = read.get(request.to);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  const hasWallets = feePayer !== undefined && sender !== undefined && recipient !== undefined;
  if (mintAccount === undefined || !hasWallets || !rentData || !clockData) {
    return { needs: accountsOfEveryTransfer(request) };
  }
  const judged = judgeMintAccount(request.mint, mintAccount);
  const recipientKind = judgeRecipientKind(request.to, recipient);
  const rent = decodeRent(rentData);
  if ('finding' in judged) {
    const nonce = resolveNonce(request, read);
    if (nonce && 'needs' in nonce) return nonce;
    const others = [
      judgeLeastPayment(request, feePayer, minimumBalance(rent, 0)),
      recipientKind ?? (request.createTokenAccount === 'always' ? judgeOffCurve(request) : undefined),
      nonce && 'finding' in nonce ? nonce.finding : undefined,
      judgeLeastPriorityFee(request, facts.maximumPriorityFee),
    ];
    return { findings: [judged.finding, ...findingsToReport(request, others)] };
  }
  const { mint } = judged;

  const addresses = facts.tokenAccountsUnder(mint.tokenProgram);
  const senderTokenAccount = read.get(addresses.sender);
  const recipientTokenAccount = read.get(addresses.recipient);
  if (senderTokenAccount === undefined || recipientTokenAccount === undefined) {
    return { needs: [addresses.sender, addresses.recipient] };
  }
  const expected = { mint: request.mint, tokenProgram: mint.tokenProgram, likelyOwner: request.to };
  const paid = (recipientTokenAccount && decodeTokenAccount(recipientTokenAccount, expected)) ?? undefined;
  const demandedMemoBytes = paid?.requiresMemo && request.memo ? request.memo.bytes.length : 0;
  const hook = resolveHook(request, { mint, addresses, demandedMemoBytes }, read);
  if ('needs' in hook) return hook;
  const nonce = resolveNonce(request, read);
  if (nonce && 'needs' in nonce) return nonce;

  const planFacts: PlanFacts = {
    mint,
    addresses,
    epoch: decodeEpoch(clockData),
    recipientTokenAccountExists: paid !== undefined,
    rentDue: paid ? 0n : rentDue(minimumBalance(rent, mint.tokenAccountLength), recipientTokenAccount),
    hookAccounts: 'accounts' in hook ? hook.accounts : [],
    splits: [],
    nonce: nonce && 'nonce' in nonce ? nonce.nonce : unusableNonce(request),
    recentPrices: facts.recentPrices,
    maximumPriorityFee: facts.maximumPriorityFee,
  };
  const plan = planTransfer(request, planFacts);
  if (plan === 'prices_needed') {
    return { needsPricesFor: [request.feePayer, addresses.sender, addresses.recipient] };
  }

  const recipientWallet = recipientKind ?? judgeRecipientWallet(request, recipient, paid);
  const feePayerWallet = judgeFeePayerWallet(request.feePayer, request.from, feePayer);
  const [first, ...others] = findingsToReport(request, [
    ...judgeMintState(request.mint, mint),
    feePayerWallet,
    judgeSponsoredSender(request, mint, sender),
    ...judgeSenderTokenAccount(request, mint, addresses.sender, senderTokenAccount),
    feePayerWallet ? undefined : judgePayment(plan, feePayer, minimumBalance(rent, 0)),
    // Where the recipient is not a wallet, its token account does not matter, and the remedy would mislead.
    ...(recipientWallet
      ? []
      : judgeRecipientTokenAccount(request, mint, addresses.recipient, recipientTokenAccount, paid)),
    recipientWallet,
    nonce && 'finding' in nonce ? nonce.finding : undefined,
    judgePriorityFee(plan.priorityFee, facts.maximumPriorityFee),
    ...('unresolvable' in hook
      ? [hookFinding(request.mint, hook.unresolvable)]
      : [judgeHookCost(plan), judgeSize(plan)]),
  ]);
  if (first) return { findings: [first, ...others] };
  return {
    plan,
    mint,
    recipientRequiresMemo: paid?.requiresMemo ?? false,
    senderTokenAccount,
    recipientTokenAccount,
  };
}

// Without checks only what the table of codes says that funding or time can change is left out.
function findingsToReport(request: TransferRequest, findings: readonly (Finding | undefined)[]): readonly Finding[] {
  const found = findings.filter((finding) => finding !== undefined);
  if (request.checks !== 'none' || found.length === 0) return found;
  return found.filter(({ code }) => {
    const unchecked = findingCodes[code];
    return unchecked !== 'funding' && unchecked !== 'time';
  });
}

function resolveHook(
  request: TransferRequest,
  { mint, addresses, demandedMemoBytes }: { mint: Mint; addresses: TransferTokenAccounts; demandedMemoBytes: number },
  read: ReadAccounts,
): ReturnType<typeof resolveHookAccounts> {
  if (mint.transferHookProgram === undefined) return { accounts: [] };
  return resolveHookAccounts(
    {
      hookProgram: mint.transferHookProgram,
      source: addresses.sender,
      mint: request.mint,
      destination: addresses.recipient,
      authority: request.from,
      amount: request.amount,
      referenceCount: request.references.length,
      demandedMemoBytes,
    },
    read,
  );
}

function resolveNonce(
  request: TransferRequest,
  read: ReadAccounts,
): ReturnType<typeof judgeNonceAccount> | { needs: readonly Address[] } | undefined {
  const { nonceAccount } = request;
  if (nonceAccount === undefined) return undefined;
  const account = read.get(nonceAccount);
  if (account === undefined) return { needs: [nonceAccount] };
  return judgeNonceAccount(nonceAccount, account, [...new Set([request.feePayer, request.from])]);
}

// Stands in a plan that is refused for its nonce account, so that its size is what it would be with one that can be used.
function unusableNonce({ nonceAccount, from }: TransferRequest): NonceAdvance | undefined {
  return nonceAccount && { account: nonceAccount, authority: from, nonce: systemProgram };
}

// An address can hold lamports before its account is made: the payer adds what is missing (System `create_account` of the
// associated token program).
function rentDue(minimum: bigint, account: Account | null): bigint {
  const held = account?.lamports ?? 0n;
  return held < minimum ? minimum - held : 0n;
}

type PayerCosts = Pick<TransferPlan, 'feePayer' | 'sender' | 'networkFee' | 'priorityFee' | 'rent'>;

function judgePayment(plan: PayerCosts, account: Account | null, minimum: bigint): Finding | undefined {
  const isSponsored = plan.feePayer !== plan.sender;
  return judgeLamports({ ...plan, isSponsored, balance: account?.lamports ?? 0n, minimumBalance: minimum });
}

// What a transfer costs whatever its mint turns out to be.
function judgeLeastPayment(request: TransferRequest, account: Account | null, minimum: bigint): Finding | undefined {
  const { feePayer, from: sender } = request;
  const costs = {
    feePayer,
    sender,
    networkFee: networkFeeOf(request),
    priorityFee: leastPriorityFee(request),
    rent: 0n,
  };
  return judgeFeePayerWallet(feePayer, sender, account) ?? judgePayment(costs, account, minimum);
}

// Without a hook the memo's own limit has seen to it. What the hook itself takes comes on top, and only its author knows it.
function judgeHookCost(plan: TransferPlan): Finding | undefined {
  if (plan.hookAccounts.length === 0) return undefined;
  const computeUnits = measuredComputeUnits(plan);
  if (computeUnits <= maximumComputeUnits) return undefined;
  return hookFinding(plan.mint, { kind: 'too_much_computation', computeUnits, maxComputeUnits: maximumComputeUnits });
}

function hookFinding(mint: Address, fault: HookFault): Finding {
  return { code: 'transfer_hook_unresolvable', field: 'mint', context: { mint, fault } };
}
