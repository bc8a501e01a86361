import type { Finding } from '../../packages/core/src/findings/finding.ts';
import type { InstructionError, TransactionError } from '../../packages/sandbox/src/ledger/transaction-error.ts';
import type { ProblemCode } from '../../packages/server/src/problems.ts';
import { callsHook, isX402, type PaymentName } from './asked.ts';
import type { NonceState } from './options-world.ts';
import type { Outcome } from './outcome.ts';
import type { World } from './world.ts';

// Errors of the token programs (token-2022 `interface/src/error.rs`, `TokenError`), of a transfer.
const transferErrors: Readonly<Record<number, readonly ProblemCode[]>> = {
  1: ['insufficient_token_balance'],
  4: ['sender_token_account_not_owned'],
  17: ['sender_token_account_frozen', 'recipient_token_account_frozen', 'new_token_account_would_be_frozen'],
  36: ['recipient_requires_memo'],
  37: ['mint_non_transferable'],
  49: ['recipient_refuses_public_credits'],
  67: ['mint_paused'],
};

// Of a creation: the associated token program's own error, and the System program's when the payer has too little.
const creationErrors: Readonly<Record<number, readonly ProblemCode[]>> = {
  0: ['recipient_token_account_not_owned'],
  1: ['insufficient_sol'],
};

// Where the recipient is no wallet, its token account is not spoken of: that remedy would mislead.
const notWalletCodes = [
  'recipient_is_token_account',
  'recipient_is_mint',
  'recipient_is_program',
  'recipient_multisig_of_other_program',
  'recipient_not_a_wallet',
  'recipient_off_curve',
] as const satisfies readonly ProblemCode[];

const strangeAccountCodes = [
  'mint_not_found',
  'not_a_mint',
  'sender_token_account_not_found',
  'recipient_token_account_not_found',
] as const satisfies readonly ProblemCode[];

const payerKindCodes = ['sender_not_a_wallet', 'fee_payer_not_a_wallet'] as const satisfies readonly ProblemCode[];

/** What a transaction is refused for that does not fit. A hook whose accounts cannot be found leaves the size unknown. */
export const sizeCodes: readonly ProblemCode[] = [
  'memo_too_long',
  'transaction_too_large',
  'transfer_hook_unresolvable',
  'transfer_hook_names_signer',
];

// The memo ran out of compute units: it needs a limit, or more than any transaction may spend.
const outOfUnitsCodes: readonly ProblemCode[] = [...sizeCodes, 'memo_too_costly', 'transaction_too_costly'];

// A signer among the references is told in place of what cannot be found.
const hookCodes = [
  'transfer_hook_unresolvable',
  'transfer_hook_names_signer',
] as const satisfies readonly ProblemCode[];

const namedErrors: Readonly<Record<string, readonly ProblemCode[]>> = {
  AccountNotFound: ['insufficient_sol'],
  InsufficientFundsForFee: ['insufficient_sol', ...payerKindCodes],
  InvalidAccountForFee: payerKindCodes,
  SignatureFailure: hookCodes,
  MissingAccount: hookCodes,
  InvalidAccountData: strangeAccountCodes,
  IncorrectProgramId: strangeAccountCodes,
  UninitializedAccount: strangeAccountCodes,
  ProgramFailedToComplete: outOfUnitsCodes,
  ComputationalBudgetExceeded: outOfUnitsCodes,
};

const aboutRecipientTokenAccount: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'recipient_token_account_not_found',
  'recipient_token_account_not_owned',
  'recipient_token_account_frozen',
  'recipient_refuses_public_credits',
  'recipient_requires_memo',
  'new_token_account_would_be_frozen',
]);

// What is no blockhash and no nonce either. A mint that is none is told of first, and alone.
const lifetimeCodes = ['mint_not_found', 'not_a_mint'] as const satisfies readonly ProblemCode[];

/** The codes one of which a transaction with this nonce account is refused for; none when it can be used. */
export function nonceCodes(state: NonceState | undefined): readonly ProblemCode[] {
  switch (state) {
    case undefined:
    case 'of_sender':
    case 'of_fee_payer':
    case 'of_another':
      return [];
    case 'missing':
      return ['nonce_account_not_found'];
    case 'wallet':
    case 'foreign_program':
    case 'too_long':
      return ['not_a_nonce_account'];
    case 'uninitialized':
    case 'old_version':
      return ['nonce_account_not_initialized'];
    case 'of_a_vault':
      return ['nonce_authority_not_a_signer'];
    case 'sender':
    case 'fee_payer':
    case 'recipient':
      return ['nonce_account_not_found', 'not_a_nonce_account', 'nonce_authority_not_a_signer'];
  }
}

/** The codes one of which a refusal must give when its transaction comes to this end; undefined when any will do. */
export function fittingCodes(outcome: Outcome, world: World): readonly ProblemCode[] | undefined {
  const { options, mint, transfer } = world;
  if (outcome.kind === 'failed' && outcome.error === 'BlockhashNotFound') {
    return [...nonceCodes(options.nonceAccount?.state), ...lifetimeCodes];
  }
  const anyLayout = fittingOutcome(outcome);
  const codes = isX402(world) && anyLayout?.every(isDemand) ? (['layout_not_possible'] as const) : anyLayout;
  // Whatever a hook takes of units and accounts, the layout has no room for one.
  if (isX402(world) && callsHook(world) && codes) return [...codes, 'layout_not_possible'];
  // Of a mint that is none no transaction is planned: what a transfer creates in it, or a third signer adds to it, is in no size.
  const isForeseen = !transfer && options.nonceAccount?.state !== 'of_another';
  if (outcome.kind === 'too_large' && !isForeseen && mint.kind === 'oddity') return [...sizeCodes, ...lifetimeCodes];
  // A hook whose accounts cannot be had, or for which a layout has no room, leaves the compute limit unknown, and with it the
  // priority fee.
  if (options.priorityFee && codes?.includes('insufficient_sol')) {
    return [...codes, ...hookCodes, ...(isX402(world) ? (['layout_not_possible'] as const) : [])];
  }
  const isAboutRecipient = anyLayout?.some((code) => aboutRecipientTokenAccount.has(code));
  return codes && isAboutRecipient ? [...codes, ...notWalletCodes] : codes;
}

// What the chain demands of a transfer, and another layout could give.
function isDemand(code: ProblemCode): boolean {
  return code === 'recipient_requires_memo' || hookCodes.some((each) => each === code);
}

function fittingOutcome(outcome: Outcome): readonly ProblemCode[] | undefined {
  switch (outcome.kind) {
    case 'landed':
      return undefined;
    case 'too_large':
      return sizeCodes;
    case 'program_would_be_written':
      return ['not_a_nonce_account', 'mint_not_found', 'not_a_mint'];
    case 'hook_unresolvable':
      return hookCodes;
    case 'no_base_units':
      return ['amount_not_representable'];
    case 'failed':
      return fittingError(outcome.error, outcome.failedProgram);
  }
}

function fittingError(
  error: TransactionError,
  failedProgram: 'creation' | 'transfer' | undefined,
): readonly ProblemCode[] | undefined {
  if (typeof error === 'string') return namedErrors[error];
  if ('InsufficientFundsForRent' in error) return ['insufficient_sol', ...payerKindCodes];
  if (!('InstructionError' in error)) return undefined;
  const instructionError: InstructionError = error.InstructionError[1];
  if (typeof instructionError === 'string') return namedErrors[instructionError];
  if (!('Custom' in instructionError)) return undefined;
  return (failedProgram === 'creation' ? creationErrors : transferErrors)[instructionError.Custom];
}

/** The payment that a finding is about; undefined when it is about none, or all. */
export function paymentOf({ field }: Pick<Finding, 'field'>): PaymentName | undefined {
  if (field === 'to') return 'to';
  return typeof field === 'object' && 'split' in field && field.part === 'to' ? field.split : undefined;
}

/** Says whether a finding can be what a transaction came to its end for, by the payment that it failed with. */
export function isOfFailedPayment(finding: Finding, outcome: Outcome): boolean {
  const named = paymentOf(finding);
  if (named === undefined || outcome.kind !== 'failed' || outcome.failedPayment === undefined) return true;
  return named === outcome.failedPayment;
}
