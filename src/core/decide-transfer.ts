import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { encodeTransaction, transactionSizeLimit } from './encode-transaction.ts';
import { judgeLamports, lamportsPerSignature } from './judge-lamports.ts';
import { judgeMintAccount, judgeMintState } from './judge-mint.ts';
import { judgeRecipientKind, judgeRecipientTokenAccount, judgeRecipientWallet } from './judge-recipient.ts';
import { judgeSenderTokenAccount, judgeSenderWallet } from './judge-sender.ts';
import { planInstructions } from './plan-instructions.ts';
import { systemProgram } from './programs.ts';
import { type ReadAccounts, resolveHookAccounts } from './resolve-hook-accounts.ts';
import { clockSysvar, decodeEpoch, decodeRent, minimumBalance, rentSysvar } from './sysvars.ts';
import { decodeTokenAccount, type Mint } from './token-state.ts';
import type { TokenAccountPair } from './transfer-accounts.ts';
import { calculateTransferFee } from './transfer-fee.ts';
import type { TransferPlan, TransferRequest } from './transfer-plan.ts';

/** What goes into the transaction; or every reason why it would not land; or what must be read before that can be said. */
export type Decision =
  | { plan: TransferPlan }
  | { findings: readonly [Finding, ...Finding[]] }
  | { needs: readonly Address[] };

/**
 * Decides whether a transfer would land, from accounts that were read: all its findings, in a fixed order.
 *
 * `tokenAccountsUnder` gives the token accounts of both wallets under a token program. Asks for accounts only as far as it
 * cannot decide without them.
 */
export function decideTransfer(
  request: TransferRequest,
  read: ReadAccounts,
  tokenAccountsUnder: (tokenProgram: Address) => TokenAccountPair,
): Decision {
  const mintAccount = read.get(request.mint);
  const sender = read.get(request.from);
  const recipient = read.get(request.to);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  if (mintAccount === undefined || sender === undefined || recipient === undefined || !rentData || !clockData) {
    return { needs: [request.mint, request.from, request.to, rentSysvar, clockSysvar] };
  }
  const judged = judgeMintAccount(request.mint, mintAccount);
  const recipientKind = judgeRecipientKind(request.to, recipient);
  if ('finding' in judged) return { findings: [judged.finding, ...(recipientKind ? [recipientKind] : [])] };
  const { mint } = judged;

  const addresses = tokenAccountsUnder(mint.tokenProgram);
  const senderTokenAccount = read.get(addresses.sender);
  const recipientTokenAccount = read.get(addresses.recipient);
  if (senderTokenAccount === undefined || recipientTokenAccount === undefined) {
    return { needs: [addresses.sender, addresses.recipient] };
  }
  const paid = (recipientTokenAccount && decodeTokenAccount(recipientTokenAccount)) ?? undefined;
  const hook = resolveHook(request, mint, addresses, read);
  if ('needs' in hook) return hook;

  const rent = decodeRent(rentData);
  const created = request.operation === 'create_transfer' && !paid;
  const plan: TransferPlan = {
    feePayer: request.from,
    sender: request.from,
    recipient: request.to,
    mint: request.mint,
    tokenProgram: mint.tokenProgram,
    decimals: mint.decimals,
    amount: request.amount,
    senderTokenAccount: addresses.sender,
    recipientTokenAccount: addresses.recipient,
    createsRecipientTokenAccount: request.operation === 'create_transfer',
    memo: request.memo,
    computeUnitLimit: request.computeUnitLimit,
    hookAccounts: 'accounts' in hook ? hook.accounts : [],
    transferFee: mint.transferFeeConfig
      ? calculateTransferFee(mint.transferFeeConfig, request.amount, decodeEpoch(clockData))
      : 0n,
    networkFee: lamportsPerSignature,
    rent: created ? rentDue(minimumBalance(rent, mint.tokenAccountLength), recipientTokenAccount) : 0n,
  };

  const senderWallet = judgeSenderWallet(request.from, sender);
  // Where the recipient is not a wallet, its token account is beside the point, and the remedy for it would mislead.
  const recipientWallet = recipientKind ?? judgeRecipientWallet(request, recipient, paid);
  const findings: (Finding | undefined)[] = [
    ...judgeMintState(request.mint, mint),
    senderWallet,
    ...judgeSenderTokenAccount(request, mint, addresses.sender, senderTokenAccount),
    senderWallet ? undefined : judgeFeePayer(plan, sender, minimumBalance(rent, 0)),
    ...(recipientWallet ? [recipientWallet] : judgeRecipientTokenAccount(request, mint, addresses.recipient, paid)),
    'unresolvable' in hook ? hookFinding(request.mint, hook.unresolvable) : judgeSize(plan),
  ];
  const [first, ...others] = findings.filter((finding) => finding !== undefined);
  return first ? { findings: [first, ...others] } : { plan };
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
    },
    read,
  );
}

// An address can hold lamports before its account is made: the payer adds what is missing (System `create_account` of the
// associated token program).
function rentDue(minimum: bigint, account: Account | null): bigint {
  const held = account?.lamports ?? 0n;
  return held < minimum ? minimum - held : 0n;
}

function judgeFeePayer(plan: TransferPlan, account: Account | null, minimum: bigint): Finding | undefined {
  return judgeLamports({ ...plan, balance: account?.lamports ?? 0n, minimumBalance: minimum });
}

function hookFinding(mint: Address, reason: string): Finding {
  const detail = `The mint ${mint} calls a program on each transfer, and ${reason}. Ask the issuer of the token.`;
  return { code: 'transfer_hook_unresolvable', pointer: '/token_mint_address', detail };
}

function judgeSize(plan: TransferPlan): Finding | undefined {
  // Without a hook the memo's own limit has seen to it.
  if (plan.hookAccounts.length === 0) return undefined;
  const anyBlockhash = systemProgram;
  const size = encodeTransaction(plan.feePayer, planInstructions(plan), anyBlockhash).length;
  if (size <= transactionSizeLimit) return undefined;
  const remedy = plan.memo
    ? `Shorten the memo by at least ${size - transactionSizeLimit} bytes`
    : 'This mint cannot be transferred in one transaction';
  const detail =
    `The transaction would have ${size} bytes, ${plan.hookAccounts.length} accounts of the mint's transfer hook among ` +
    `them; the network takes ${transactionSizeLimit}. ${remedy}.`;
  return { code: 'transaction_too_large', pointer: plan.memo ? '/memo' : '/token_mint_address', detail };
}
