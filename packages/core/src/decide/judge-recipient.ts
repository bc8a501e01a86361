import type { Account } from '../accounts/account.ts';
import {
  classifyTokenProgramAccount,
  isVacant,
  type Mint,
  type TokenAccount,
  tokenAccountOwner,
} from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/curve.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

const field = 'to';

/** Says why an address is certainly no wallet, if so: a program, a mint or a token account. */
export function judgeRecipientKind(recipient: Address, account: Account | null): Finding | undefined {
  if (!account) return undefined;
  if (account.executable) return { code: 'recipient_is_program', field, context: { recipient } };
  const kind = classifyTokenProgramAccount(account);
  // A multisig owns token accounts as a wallet does.
  return kind === undefined || kind === 'multisig' ? undefined : judgeTokenProgramAccount(recipient, account, kind);
}

/**
 * Says why an address that may be a wallet is not paid all the same: it is an account of some program, or off the curve.
 *
 * `tokenAccount` is the recipient's for this mint, where there is one: somebody made it on purpose, which lets an address
 * that no wallet has be paid.
 */
export function judgeRecipientWallet(
  request: TransferRequest,
  account: Account | null,
  tokenAccount: TokenAccount | undefined,
): Finding | undefined {
  const recipient = request.to;
  const isOfAnotherProgram =
    account !== null && account.owner !== systemProgram && classifyTokenProgramAccount(account) === undefined;
  if (isOfAnotherProgram && !tokenAccount) {
    return { code: 'recipient_not_a_wallet', field, context: { recipient, program: account.owner } };
  }
  const isMadeOnPurpose = tokenAccount !== undefined && request.createTokenAccount !== 'always';
  return isMadeOnPurpose ? undefined : judgeOffCurve(request);
}

/** Returns the finding when the recipient is off the curve and the request does not allow that, otherwise undefined. */
export function judgeOffCurve({ to: recipient, allowsOffCurveRecipient }: TransferRequest): Finding | undefined {
  if (allowsOffCurveRecipient || isAddressOnCurve(recipient)) return undefined;
  return { code: 'recipient_off_curve', field, context: { recipient } };
}

function judgeTokenProgramAccount(
  recipient: Address,
  account: Account,
  kind: 'mint' | 'token_account' | 'unknown',
): Finding {
  const program = account.owner;
  if (kind === 'mint') return { code: 'recipient_is_mint', field, context: { recipient, program } };
  const owner = tokenAccountOwner(account);
  return { code: 'recipient_is_token_account', field, context: { recipient, program, owner } };
}

/**
 * Says why the recipient's token account cannot be paid, or made and paid, in a fixed order.
 *
 * `tokenAccount` is what `account`, which was read at `address`, holds as a token account of the mint.
 */
export function judgeRecipientTokenAccount(
  request: TransferRequest,
  mint: Mint,
  address: Address,
  account: Account | null,
  tokenAccount: TokenAccount | undefined,
): Finding[] {
  if (!tokenAccount) {
    return account && !isVacant(account)
      ? [judgeStrangeTokenAccount(request, address, account)]
      : judgeMissingTokenAccount(request, mint, address);
  }
  const findings: Finding[] = [];
  if (tokenAccount.owner !== request.to) {
    const fault = { kind: 'other_owner', owner: tokenAccount.owner } as const;
    const context = { ...contextOf(request, address), fault };
    findings.push({ code: 'recipient_token_account_not_owned', field, context });
  }
  if (tokenAccount.isFrozen) {
    findings.push({ code: 'recipient_token_account_frozen', field, context: contextOf(request, address) });
  }
  if (tokenAccount.refusesPublicCredits) {
    findings.push({ code: 'recipient_refuses_public_credits', field, context: contextOf(request, address) });
  }
  if (tokenAccount.requiresMemo && !request.memo) {
    findings.push({ code: 'recipient_requires_memo', field, context: contextOf(request, address) });
  }
  return findings;
}

function judgeStrangeTokenAccount(request: TransferRequest, address: Address, account: Account): Finding {
  const fault = { kind: 'not_a_token_account', program: account.owner } as const;
  return { code: 'recipient_token_account_not_owned', field, context: { ...contextOf(request, address), fault } };
}

function judgeMissingTokenAccount(request: TransferRequest, mint: Mint, address: Address): Finding[] {
  const { freezesNewAccounts } = mint;
  const context = contextOf(request, address);
  if (request.createTokenAccount === 'never') {
    return [{ code: 'recipient_token_account_not_found', field, context: { ...context, freezesNewAccounts } }];
  }
  return freezesNewAccounts ? [{ code: 'new_token_account_would_be_frozen', field, context }] : [];
}

function contextOf(
  { to, mint }: TransferRequest,
  tokenAccount: Address,
): { wallet: Address; mint: Address; tokenAccount: Address } {
  return { wallet: to, mint, tokenAccount };
}
