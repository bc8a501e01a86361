import { tokenAccountOwner } from '../accounts/token-state.ts';
import { sol } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { isReserved, systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { DecodedFacts, MintFacts, ReadPayee, ReadPayment } from '../plan/transfer-facts.ts';
import { mayCreateTokenAccount } from '../plan/transfer-plan.ts';
import type { PaymentsRequest, TokenAccountCreation } from '../request/transfer-request.ts';

/** Returns why those whom a request pays cannot be paid, in a fixed order. */
export function checkRecipients(request: PaymentsRequest, facts: DecodedFacts): Finding[] {
  if (facts.mint) return facts.payments.flatMap((payment) => checkRecipient(request, facts, payment));
  return facts.payments.flatMap((payee) => checkPayeeOfAnyMint(request, facts.payments, payee) ?? []);
}

function checkPayeeOfAnyMint(
  request: PaymentsRequest,
  payees: readonly ReadPayee[],
  payee: ReadPayee,
): Finding | undefined {
  const kind = checkRecipientKind(payee);
  return kind ?? (creationOf(request, payees, payee) === 'always' ? checkOffCurve(request, payee) : undefined);
}

/** The facts that it depends on whether a recipient can be paid. */
type RecipientFacts = Pick<MintFacts, 'mint' | 'payments'>;

/** Returns why a recipient cannot be paid, in a fixed order. */
export function checkRecipient(request: PaymentsRequest, facts: RecipientFacts, payment: ReadPayment): Finding[] {
  if (request.mint === sol) return checkSolRecipient(request, payment);
  const wallet = checkRecipientWallet(request, facts, payment);
  // Where the recipient is not a wallet, its token account does not matter, and the remedy would mislead.
  return wallet ? [wallet] : checkRecipientTokenAccount(request, facts, payment);
}

// Returns the finding when an address is certainly no wallet, but a program, a mint or a token account.
function checkRecipientKind({ to: recipient, field, wallet }: ReadPayee): Finding | undefined {
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

// SOL paid to anything but a wallet may be lost, and the runtime lets no transaction write the accounts of its own programs and sysvars.
function checkSolRecipient(request: PaymentsRequest, payee: ReadPayee): Finding[] {
  const { to: recipient, field, wallet } = payee;
  const found = checkRecipientKind(payee);
  if (found) return [found];
  if (isReserved(recipient)) return [{ code: 'recipient_is_reserved', field, context: { recipient } }];
  const { account } = wallet;
  if (account && (account.owner !== systemProgram || account.data.length > 0)) {
    return [{ code: 'recipient_not_a_wallet', field, context: { recipient, program: account.owner } }];
  }
  return [checkOffCurve(request, payee)].filter((finding) => finding !== undefined);
}

/**
 * Returns the finding when a recipient is no wallet: a program, a mint, a token account, a multisig of the other token program, an
 * account of some other program, or an address off the curve.
 *
 * An address that no wallet has is paid where it has a token account of the mint: that was created on purpose. Not so a multisig:
 * a token program takes the signatures of its own multisigs only (token-2022 `Processor::validate_owner`).
 */
function checkRecipientWallet(
  request: PaymentsRequest,
  { mint: { tokenProgram }, payments }: RecipientFacts,
  payment: ReadPayment,
): Finding | undefined {
  const found = checkRecipientKind(payment);
  if (found) return found;
  const { to: recipient, field, tokenAccount } = payment;
  const { account, kind } = payment.wallet;
  if (account && account.owner !== tokenProgram && kind === 'multisig') {
    const context = { recipient, mint: request.mint, program: account.owner, tokenProgram };
    return { code: 'recipient_multisig_of_other_program', field, context };
  }
  const isOfAnotherProgram = account !== null && account.owner !== systemProgram && kind === undefined;
  if (isOfAnotherProgram && !tokenAccount.state) {
    return { code: 'recipient_not_a_wallet', field, context: { recipient, program: account.owner } };
  }
  const isMadeOnPurpose = tokenAccount.state !== undefined && creationOf(request, payments, payment) !== 'always';
  return isMadeOnPurpose ? undefined : checkOffCurve(request, payment);
}

function checkOffCurve({ allowsOffCurveRecipient }: PaymentsRequest, { to, field }: ReadPayee): Finding | undefined {
  if (allowsOffCurveRecipient || isAddressOnCurve(to)) return undefined;
  return { code: 'recipient_off_curve', field, context: { recipient: to } };
}

/** Returns why a token account cannot be paid, or created and paid, in a fixed order. */
function checkRecipientTokenAccount(request: PaymentsRequest, facts: RecipientFacts, payment: ReadPayment): Finding[] {
  const { to: wallet, field, tokenAccount, thaw } = payment;
  const { address, state, occupant } = tokenAccount;
  const context = { wallet, mint: request.mint, tokenAccount: address };
  if (occupant !== undefined) {
    const fault = { kind: 'not_a_token_account', program: occupant } as const;
    return [{ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } }];
  }
  if (!state) return checkMissingTokenAccount(request, facts, payment);
  const findings: Finding[] = [];
  if (state.owner !== wallet) {
    const fault = { kind: 'other_owner', owner: state.owner } as const;
    findings.push({ code: 'recipient_token_account_not_owned', field, context: { ...context, fault } });
  }
  if (state.isFrozen && !thaw) findings.push({ code: 'recipient_token_account_frozen', field, context });
  if (state.refusesPublicCredits) findings.push({ code: 'recipient_refuses_public_credits', field, context });
  if (state.requiresMemo && request.layout === 'x402') {
    const obstacle = { kind: 'memo_required', wallet, tokenAccount: address } as const;
    findings.push({ code: 'layout_not_possible', field, context: { layout: request.layout, obstacle } });
  } else if (state.requiresMemo && !payment.memo) {
    findings.push({ code: 'recipient_requires_memo', field, context });
  }
  return findings;
}

// When the token account of a payee is created: in the MPP layout that of the recipient only where a split is paid to it, too.
function creationOf(
  request: PaymentsRequest,
  payees: readonly ReadPayee[],
  { to, field }: ReadPayee,
): TokenAccountCreation {
  const mayCreate =
    mayCreateTokenAccount(request, field) ||
    payees.some((payee) => payee.to === to && mayCreateTokenAccount(request, payee.field));
  return mayCreate ? request.createTokenAccount : 'never';
}

function checkMissingTokenAccount(
  request: PaymentsRequest,
  { mint: { freezesNewAccounts }, payments }: RecipientFacts,
  payment: ReadPayment,
): Finding[] {
  const { to: wallet, field, tokenAccount, thaw } = payment;
  const context = { wallet, mint: request.mint, tokenAccount: tokenAccount.address };
  if (creationOf(request, payments, payment) === 'never') {
    // What the layout does not create, no option does.
    const layout = request.layout === 'mpp' && mayCreateTokenAccount(request, field) ? 'default' : request.layout;
    return [{ code: 'recipient_token_account_not_found', field, context: { ...context, freezesNewAccounts, layout } }];
  }
  return freezesNewAccounts && !thaw ? [{ code: 'new_token_account_would_be_frozen', field, context }] : [];
}
