import { type Mint, tokenAccountOwner } from '../accounts/token-state.ts';
import { isAddressOnCurve } from '../addresses/curve.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { DecodedFacts, Payee, ReadPayee, ReadPayment } from '../plan/transfer-facts.ts';
import { mayCreateTokenAccount } from '../plan/transfer-plan.ts';
import type { TokenAccountCreation, TransferRequest } from '../request/transfer-request.ts';

/** Returns why those whom a transfer pays cannot be paid, in a fixed order. */
export function checkRecipients(request: TransferRequest, facts: DecodedFacts): Finding[] {
  const { mint } = facts;
  if (mint) return facts.payments.flatMap((payment) => checkRecipient(request, mint, payment));
  return facts.payments.flatMap((payee) => checkPayeeOfAnyMint(request, payee) ?? []);
}

function checkPayeeOfAnyMint(request: TransferRequest, payee: ReadPayee): Finding | undefined {
  const kind = checkRecipientKind(payee);
  return kind ?? (creationOf(request, payee.payee) === 'always' ? checkOffCurve(request, payee) : undefined);
}

/** Returns why a recipient cannot be paid, in a fixed order. */
export function checkRecipient(request: TransferRequest, mint: Mint, payment: ReadPayment): Finding[] {
  const wallet = checkRecipientWallet(request, mint, payment);
  // Where the recipient is not a wallet, its token account does not matter, and the remedy would mislead.
  return wallet ? [wallet] : checkRecipientTokenAccount(request, mint, payment);
}

// Returns the finding when an address is certainly no wallet, but a program, a mint or a token account.
function checkRecipientKind({ payee, wallet }: ReadPayee): Finding | undefined {
  const { to: recipient, field } = payee;
  const { account, kind } = wallet;
  if (!account) return undefined;
  if (account.executable) return { code: 'recipient_is_program', field, context: { recipient } };
  // A multisig owns token accounts of its own program as a wallet does.
  if (kind === undefined || kind === 'multisig') return undefined;
  const program = account.owner;
  if (kind === 'mint') return { code: 'recipient_is_mint', field, context: { recipient, program } };
  const owner = tokenAccountOwner(account);
  return { code: 'recipient_is_token_account', field, context: { recipient, program, owner } };
}

/**
 * Returns the finding when a recipient is no wallet: a program, a mint, a token account, a multisig of the other token program, an
 * account of some other program, or an address off the curve.
 *
 * An address that no wallet has is paid where it has a token account of the mint: that was created on purpose. Not so a multisig:
 * a token program takes the signatures of its own multisigs only (token-2022 `Processor::validate_owner`).
 */
function checkRecipientWallet(
  request: TransferRequest,
  { tokenProgram }: Mint,
  payment: ReadPayment,
): Finding | undefined {
  const found = checkRecipientKind(payment);
  if (found) return found;
  const { payee, tokenAccount } = payment;
  const { account, kind } = payment.wallet;
  if (account && account.owner !== tokenProgram && kind === 'multisig') {
    const context = { recipient: payee.to, mint: request.mint, program: account.owner, tokenProgram };
    return { code: 'recipient_multisig_of_other_program', field: payee.field, context };
  }
  const isOfAnotherProgram = account !== null && account.owner !== systemProgram && kind === undefined;
  if (isOfAnotherProgram && !tokenAccount.state) {
    const context = { recipient: payee.to, program: account.owner };
    return { code: 'recipient_not_a_wallet', field: payee.field, context };
  }
  const isMadeOnPurpose = tokenAccount.state !== undefined && creationOf(request, payee) !== 'always';
  return isMadeOnPurpose ? undefined : checkOffCurve(request, payment);
}

function checkOffCurve({ allowsOffCurveRecipient }: TransferRequest, { payee }: ReadPayee): Finding | undefined {
  const { to, field } = payee;
  if (allowsOffCurveRecipient || isAddressOnCurve(to)) return undefined;
  return { code: 'recipient_off_curve', field, context: { recipient: to } };
}

/** Returns why a token account cannot be paid, or created and paid, in a fixed order. */
function checkRecipientTokenAccount(request: TransferRequest, mint: Mint, payment: ReadPayment): Finding[] {
  const { payee, tokenAccount, thaw } = payment;
  const { address, state, occupant } = tokenAccount;
  const { field } = payee;
  const context = { wallet: payee.to, mint: request.mint, tokenAccount: address };
  if (occupant !== undefined) {
    const fault = { kind: 'not_a_token_account', program: occupant } as const;
    return [{ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } }];
  }
  if (!state) return checkMissingTokenAccount(request, mint, payment);
  const findings: Finding[] = [];
  if (state.owner !== payee.to) {
    const fault = { kind: 'other_owner', owner: state.owner } as const;
    findings.push({ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } });
  }
  if (state.isFrozen && !thaw) findings.push({ code: 'recipient_token_account_frozen', field, context });
  if (state.refusesPublicCredits) findings.push({ code: 'recipient_refuses_public_credits', field, context });
  if (state.requiresMemo && request.layout === 'x402') {
    const obstacle = { kind: 'memo_required', wallet: payee.to, tokenAccount: address } as const;
    findings.push({ code: 'layout_not_possible', field, context: { layout: request.layout, obstacle } });
  } else if (state.requiresMemo && !payee.memo) {
    findings.push({ code: 'recipient_requires_memo', field, context });
  }
  return findings;
}

// When the token account of a payee is created: in the MPP layout that of the recipient only where a split is paid to it, too.
function creationOf(request: TransferRequest, { to, field }: Payee): TokenAccountCreation {
  const mayCreate = mayCreateTokenAccount(request, field) || request.splits.some((split) => split.to === to);
  return mayCreate ? request.createTokenAccount : 'never';
}

function checkMissingTokenAccount(
  request: TransferRequest,
  { freezesNewAccounts }: Mint,
  { payee, tokenAccount, thaw }: ReadPayment,
): Finding[] {
  const { field } = payee;
  const { mint } = request;
  const context = { wallet: payee.to, mint, tokenAccount: tokenAccount.address };
  if (creationOf(request, payee) === 'never') {
    // What the layout does not create, no option does.
    const layout = request.layout === 'mpp' && mayCreateTokenAccount(request, field) ? 'default' : request.layout;
    return [{ code: 'recipient_token_account_not_found', field, context: { ...context, freezesNewAccounts, layout } }];
  }
  return freezesNewAccounts && !thaw ? [{ code: 'new_token_account_would_be_frozen', field, context }] : [];
}
