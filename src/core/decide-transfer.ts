import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { findAssociatedTokenAddress } from './associated-token-address.ts';
import { formatAmount } from './format-amount.ts';
import { judgeRecipientWallet } from './judge-recipient-wallet.ts';
import { isTokenProgram } from './programs.ts';
import { decodeMint, decodeTokenAccount, type Mint, tokenProgramName } from './token-state.ts';
import type { TransferPlan, TransferRequest } from './transfer-plan.ts';

/** The token accounts of both wallets under one token program. */
export interface TokenAccountPair {
  tokenProgram: Address;
  sender: Address;
  recipient: Address;
}

/** Derives the token accounts of both wallets of a request under one token program. */
export function deriveTokenAccounts(request: TransferRequest, tokenProgram: Address): TokenAccountPair {
  const find = (owner: Address): Address =>
    findAssociatedTokenAddress({ owner, tokenProgram, mint: request.mint }).address;
  return { tokenProgram, sender: find(request.from), recipient: find(request.to) };
}

/** The facts of the chain that a decision stands on, all as of one slot. */
export interface TransferFacts {
  mint: Account | null;
  recipient: Account | null;
  /** The token accounts under the mint's own token program; absent when the mint belongs to none. */
  tokenAccounts: { addresses: TokenAccountPair; sender: Account | null; recipient: Account | null } | undefined;
}

/** Decides whether a transfer would land: with what goes into it, or with every reason why not, in a fixed order. */
export function decideTransfer(
  request: TransferRequest,
  facts: TransferFacts,
): { plan: TransferPlan } | { findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const mint = judgeMint(request, facts.mint, findings);
  if (mint && facts.tokenAccounts) judgeSender(request, mint, facts.tokenAccounts, findings);
  const recipientFinding = judgeRecipientWallet(request.to, facts.recipient);
  if (recipientFinding) findings.push(recipientFinding);
  else if (facts.tokenAccounts) judgeRecipientTokenAccount(request, facts.tokenAccounts, findings);
  if (!mint || !facts.tokenAccounts || findings.length > 0) return { findings };

  return {
    plan: {
      feePayer: request.from,
      sender: request.from,
      recipient: request.to,
      mint: request.mint,
      tokenProgram: mint.tokenProgram,
      decimals: mint.decimals,
      amount: request.amount,
      senderTokenAccount: facts.tokenAccounts.addresses.sender,
      recipientTokenAccount: facts.tokenAccounts.addresses.recipient,
      createsRecipientTokenAccount: request.operation === 'create_transfer',
      memo: request.memo,
      computeUnitLimit: request.computeUnitLimit,
    },
  };
}

function judgeMint(request: TransferRequest, account: Account | null, findings: Finding[]): Mint | undefined {
  const pointer = '/token_mint_address';
  if (!account) {
    const detail = `There is no account at ${request.mint}. Check the address, and the cluster this service reads.`;
    findings.push({ code: 'mint_not_found', pointer, detail });
    return undefined;
  }
  const mint = decodeMint(account);
  if (!mint) {
    const what = isTokenProgram(account.owner)
      ? `an account of ${tokenProgramName(account.owner)}, but not an initialized mint`
      : `an account of the program ${account.owner}, not of SPL Token or Token-2022`;
    const detail = `${request.mint} is ${what}. Send the address of the token's mint.`;
    findings.push({ code: 'not_a_mint', pointer, detail });
  }
  return mint;
}

type TokenAccounts = NonNullable<TransferFacts['tokenAccounts']>;

function judgeSender(request: TransferRequest, mint: Mint, accounts: TokenAccounts, findings: Finding[]): void {
  const pointer = '/from_address';
  const address = accounts.addresses.sender;
  const tokenAccount = accounts.sender && decodeTokenAccount(accounts.sender);
  if (!tokenAccount) {
    const detail =
      `${request.from} has no token account for the mint ${request.mint}: there is none at ${address}. ` +
      'It must receive some of this token first.';
    findings.push({ code: 'sender_token_account_not_found', pointer, detail });
    return;
  }
  if (tokenAccount.owner !== request.from) {
    const detail =
      `The token account ${address} of ${request.from} now belongs to ${tokenAccount.owner}, who alone can send ` +
      'from it. Send from another wallet.';
    findings.push({ code: 'sender_token_account_not_owned', pointer, detail });
  }
  if (tokenAccount.amount < request.amount) {
    const units = (amount: bigint): string => `${amount} base units (${formatAmount(amount, mint.decimals)} tokens)`;
    const detail =
      `The token account ${address} of ${request.from} has ${units(tokenAccount.amount)}; this transfer needs ` +
      `${units(request.amount)}, ${request.amount - tokenAccount.amount} more. Send less, or fund it first.`;
    findings.push({ code: 'insufficient_token_balance', pointer: '/amount', detail });
  }
}

function judgeRecipientTokenAccount(request: TransferRequest, accounts: TokenAccounts, findings: Finding[]): void {
  const pointer = '/to_address';
  const address = accounts.addresses.recipient;
  const tokenAccount = accounts.recipient && decodeTokenAccount(accounts.recipient);
  if (!tokenAccount) {
    if (request.operation === 'create_transfer') return;
    const detail =
      `${request.to} has no token account for the mint ${request.mint}: there is none at ${address}. ` +
      'POST the transfer to /v1/create-token-account-transfer, which creates it.';
    findings.push({ code: 'recipient_token_account_not_found', pointer, detail });
    return;
  }
  if (tokenAccount.owner !== request.to) {
    const detail =
      `The token account ${address} of ${request.to} now belongs to ${tokenAccount.owner}: paying it would pay ` +
      'somebody else. Ask the recipient for another wallet.';
    findings.push({ code: 'recipient_token_account_not_owned', pointer, detail });
  }
}
