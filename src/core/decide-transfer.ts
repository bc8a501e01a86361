import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { judgePriorityFee } from './compute-budget.ts';
import { judgeLamports } from './judge-lamports.ts';
import { judgeMintAccount, judgeMintState } from './judge-mint.ts';
import { judgeRecipientKind, judgeRecipientTokenAccount, judgeRecipientWallet } from './judge-recipient.ts';
import { judgeFeePayerWallet, judgeSenderTokenAccount, judgeSponsoredSender } from './judge-sender.ts';
import { judgeSize, withoutSpareLimit } from './judge-size.ts';
import { judgeNonceAccount } from './nonce-account.ts';
import { networkFeeOf, type PlanFacts, planTransfer } from './plan-transfer.ts';
import { type ReadAccounts, resolveHookAccounts } from './resolve-hook-accounts.ts';
import { clockSysvar, decodeEpoch, decodeRent, minimumBalance, rentSysvar } from './sysvars.ts';
import { decodeTokenAccount, type Mint } from './token-state.ts';
import type { TokenAccountPair } from './transfer-accounts.ts';
import type { TransferPlan, TransferRequest } from './transfer-plan.ts';

/** What a decision stands on. */
export interface TransferFacts {
  /** Accounts read so far. */
  read: ReadAccounts;
  /** Gives the token accounts of both wallets under a token program. */
  tokenAccountsUnder: (tokenProgram: Address) => TokenAccountPair;
  /** What others paid lately for the accounts written, in micro-lamports per compute unit; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** The most lamports that the operator lets a priority fee cost. */
  maximumPriorityFee: bigint;
}

/** A transfer that would land, and what its payer should hear of. */
export interface DecidedTransfer {
  plan: TransferPlan;
  mint: Mint;
  recipientTokenAccountExists: boolean;
  recipientRequiresMemo: boolean;
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
    return { needs: [request.mint, request.feePayer, request.from, request.to, rentSysvar, clockSysvar] };
  }
  const judged = judgeMintAccount(request.mint, mintAccount);
  const recipientKind = judgeRecipientKind(request.to, recipient);
  const rent = decodeRent(rentData);
  if ('finding' in judged) {
    const others = [judgeLeastPayment(request, feePayer, minimumBalance(rent, 0)), recipientKind];
    return { findings: [judged.finding, ...others.filter((finding) => finding !== undefined)] };
  }
  const { mint } = judged;

  const addresses = facts.tokenAccountsUnder(mint.tokenProgram);
  const senderTokenAccount = read.get(addresses.sender);
  const recipientTokenAccount = read.get(addresses.recipient);
  if (senderTokenAccount === undefined || recipientTokenAccount === undefined) {
    return { needs: [addresses.sender, addresses.recipient] };
  }
  const hook = resolveHook(request, mint, addresses, read);
  if ('needs' in hook) return hook;
  const nonce = resolveNonce(request, read);
  if (nonce && 'needs' in nonce) return nonce;

  const paid = (recipientTokenAccount && decodeTokenAccount(recipientTokenAccount, request.to)) ?? undefined;
  const planFacts: PlanFacts = {
    mint,
    addresses,
    epoch: decodeEpoch(clockData),
    recipientTokenAccountExists: paid !== undefined,
    rentDue: paid ? 0n : rentDue(minimumBalance(rent, mint.tokenAccountLength), recipientTokenAccount),
    hookAccounts: 'accounts' in hook ? hook.accounts : [],
    nonce: nonce && 'nonce' in nonce ? nonce.nonce : undefined,
    recentPrices: facts.recentPrices,
    maximumPriorityFee: facts.maximumPriorityFee,
  };
  const planned = planTransfer(request, planFacts);
  if (planned === 'prices_needed') {
    return { needsPricesFor: [request.feePayer, addresses.sender, addresses.recipient] };
  }
  const plan = withoutSpareLimit(planned, request);

  const recipientWallet = recipientKind ?? judgeRecipientWallet(request, recipient, paid);
  const feePayerWallet = judgeFeePayerWallet(request.feePayer, request.from, feePayer);
  const states =
    request.checks === 'none'
      ? []
      : [
          ...judgeMintState(request.mint, mint),
          feePayerWallet,
          judgeSponsoredSender(request, mint, sender),
          ...judgeSenderTokenAccount(request, mint, addresses.sender, senderTokenAccount),
          feePayerWallet ? undefined : judgePayment(plan, feePayer, minimumBalance(rent, 0)),
          // Where the recipient is not a wallet, its token account is beside the point, and the remedy would mislead.
          ...(recipientWallet ? [] : judgeRecipientTokenAccount(request, mint, addresses.recipient, paid)),
        ];
  const findings = [
    ...states,
    recipientWallet,
    nonce && 'finding' in nonce ? nonce.finding : undefined,
    judgePriorityFee(plan.priorityFee, facts.maximumPriorityFee),
    'unresolvable' in hook ? hookFinding(request.mint, hook.unresolvable) : judgeSize(plan, request.memoField),
  ];
  const [first, ...others] = findings.filter((finding) => finding !== undefined);
  if (first) return { findings: [first, ...others] };
  const recipientTokenAccountExists = paid !== undefined;
  return { plan, mint, recipientTokenAccountExists, recipientRequiresMemo: paid?.requiresMemo ?? false };
}

function resolveHook(
  request: TransferRequest,
  mint: Mint,
  addresses: TokenAccountPair,
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
  if (request.checks === 'none') return undefined;
  const { feePayer, from: sender } = request;
  const costs = { feePayer, sender, networkFee: networkFeeOf(request), priorityFee: 0n, rent: 0n };
  return judgeFeePayerWallet(feePayer, sender, account) ?? judgePayment(costs, account, minimum);
}

function hookFinding(mint: Address, reason: string): Finding {
  const detail = `The mint ${mint} calls a program on each transfer, and ${reason}. Ask the issuer of the token.`;
  return { code: 'transfer_hook_unresolvable', pointer: '/token_mint_address', detail };
}
