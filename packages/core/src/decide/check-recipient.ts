import type { Account } from '../accounts/account.ts';
import { classifyTokenProgramAccount, isVacant, type Mint, tokenAccountOwner } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/curve.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding, RecipientField } from '../findings/finding.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import type { Payee, ReadPayment } from './read-payment.ts';

/** Says why somebody is not paid whatever the mint turns out to be, if so. */
export function checkPayeeOfAnyMint(
  request: TransferRequest,
  payee: Payee,
  account: Account | null,
): Finding | undefined {
  const kind = checkRecipientKind(payee, account);
  return kind ?? (request.createTokenAccount === 'always' ? checkOffCurve(request, payee) : undefined);
}

// Returns the finding when an address is certainly no wallet, but a program, a mint or a token account.
function checkRecipientKind({ to: recipient, field }: Payee, account: Account | null): Finding | undefined {
  if (!account) return undefined;
  if (account.executable) return { code: 'recipient_is_program', field, context: { recipient } };
  const kind = classifyTokenProgramAccount(account);
  // A multisig owns token accounts of its own program as a wallet does.
  return kind === undefined || kind === 'multisig'
    ? undefined
    : checkTokenProgramAccount(recipient, field, account, kind);
}

/** Returns why a recipient cannot be paid, in a fixed order. */
export function checkRecipient(request: TransferRequest, mint: Mint, payment: ReadPayment): Finding[] {
  const wallet = checkRecipientWallet(request, mint, payment);
  // Where the recipient is not a wallet, its token account does not matter, and the remedy would mislead.
  return wallet ? [wallet] : checkRecipientTokenAccount(request, mint, payment);
}

/**
 * Returns the finding when a recipient is no wallet: a program, a mint, a token account, a multisig of the other token program, an
 * account of some other program, or an address off the curve.
 *
 * An address that no wallet has is paid where it has a token account of the mint: somebody made that on purpose. Not so a multisig:
 * a token program takes the signatures of its own multisigs only (token-2022 `Processor::validate_owner`).
 */
function checkRecipientWallet(
  request: TransferRequest,
  { tokenProgram }: Mint,
  { payee, wallet, tokenAccount }: ReadPayment,
): Finding | undefined {
  const kind = checkRecipientKind(payee, wallet);
  if (kind) return kind;
  if (wallet && wallet.owner !== tokenProgram && classifyTokenProgramAccount(wallet) === 'multisig') {
    const context = { recipient: payee.to, mint: request.mint, program: wallet.owner, tokenProgram };
    return { code: 'recipient_multisig_of_other_program', field: payee.field, context };
  }
  const isOfAnotherProgram =
    wallet !== null && wallet.owner !== systemProgram && classifyTokenProgramAccount(wallet) === undefined;
  if (isOfAnotherProgram && !tokenAccount) {
    const context = { recipient: payee.to, program: wallet.owner };
    return { code: 'recipient_not_a_wallet', field: payee.field, context };
  }
  const isMadeOnPurpose = tokenAccount !== undefined && request.createTokenAccount !== 'always';
  return isMadeOnPurpose ? undefined : checkOffCurve(request, payee);
}

function checkOffCurve({ allowsOffCurveRecipient }: TransferRequest, { to, field }: Payee): Finding | undefined {
  if (allowsOffCurveRecipient || isAddressOnCurve(to)) return undefined;
  return { code: 'recipient_off_curve', field, context: { recipient: to } };
}

function checkTokenProgramAccount(
  recipient: Address,
  field: RecipientField,
  account: Account,
  kind: 'mint' | 'token_account' | 'unknown',
): Finding {
  const program = account.owner;
  if (kind === 'mint') return { code: 'recipient_is_mint', field, context: { recipient, program } };
  const owner = tokenAccountOwner(account);
  return { code: 'recipient_is_token_account', field, context: { recipient, program, owner } };
}

/** Returns why a token account cannot be paid, or created and paid, in a fixed order. */
function checkRecipientTokenAccount(request: TransferRequest, mint: Mint, payment: ReadPayment): Finding[] {
  const { payee, account, tokenAccount } = payment;
  const { field } = payee;
  const context = { wallet: payee.to, mint: request.mint, tokenAccount: payment.tokenAccountAddress };
  if (!tokenAccount) {
    if (!account || isVacant(account)) return checkMissingTokenAccount(request, mint, field, context);
    const fault = { kind: 'not_a_token_account', program: account.owner } as const;
    return [{ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } }];
  }
  const findings: Finding[] = [];
  if (tokenAccount.owner !== payee.to) {
    const fault = { kind: 'other_owner', owner: tokenAccount.owner } as const;
    findings.push({ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } });
  }
  if (tokenAccount.isFrozen) findings.push({ code: 'recipient_token_account_frozen', field, context });
  if (tokenAccount.refusesPublicCredits) findings.push({ code: 'recipient_refuses_public_credits', field, context });
  if (tokenAccount.requiresMemo && request.layout === 'x402') {
    const obstacle = { kind: 'memo_required', wallet: payee.to, tokenAccount: payment.tokenAccountAddress } as const;
    findings.push({ code: 'layout_not_possible', field, context: { layout: request.layout, obstacle } });
  } else if (tokenAccount.requiresMemo && !payee.memo)
    findings.push({ code: 'recipient_requires_memo', field, context });
  return findings;
}

function checkMissingTokenAccount(
  { layout, createTokenAccount }: TransferRequest,
  { freezesNewAccounts }: Mint,
  field: RecipientField,
  context: { wallet: Address; mint: Address; tokenAccount: Address },
): Finding[] {
  if (createTokenAccount === 'never') {
    return [{ code: 'recipient_token_account_not_found', field, context: { ...context, freezesNewAccounts, layout } }];
  }
  return freezesNewAccounts ? [{ code: 'new_token_account_would_be_frozen', field, context }] : [];
}
