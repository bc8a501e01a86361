import type { ProblemCode } from '../../src/errors.ts';
import type { InstructionError, TransactionError } from '../../src/sandbox/transaction-error.ts';
import type { Outcome } from './witness.ts';

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
  'recipient_not_a_wallet',
  'recipient_off_curve',
] as const satisfies readonly ProblemCode[];

const strangeAccountCodes = [
  'mint_not_found',
  'not_a_mint',
  'sender_token_account_not_found',
  'recipient_token_account_not_found',
] as const satisfies readonly ProblemCode[];

const namedErrors: Readonly<Record<string, readonly ProblemCode[]>> = {
  AccountNotFound: ['insufficient_sol'],
  InsufficientFundsForFee: ['insufficient_sol', 'sender_not_a_wallet'],
  InvalidAccountForFee: ['sender_not_a_wallet'],
  SignatureFailure: ['transfer_hook_unresolvable'],
  MissingAccount: ['transfer_hook_unresolvable'],
  InvalidAccountData: strangeAccountCodes,
  IncorrectProgramId: strangeAccountCodes,
  UninitializedAccount: strangeAccountCodes,
};

const aboutRecipientTokenAccount: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'recipient_token_account_not_found',
  'recipient_token_account_not_owned',
  'recipient_token_account_frozen',
  'recipient_refuses_public_credits',
  'recipient_requires_memo',
  'new_token_account_would_be_frozen',
]);

/** The codes one of which a refusal must give when its transaction comes to this end; undefined when any will do. */
export function fittingCodes(outcome: Outcome): readonly ProblemCode[] | undefined {
  const codes = fittingOutcome(outcome);
  return codes?.some((code) => aboutRecipientTokenAccount.has(code)) ? [...codes, ...notWalletCodes] : codes;
}

function fittingOutcome(outcome: Outcome): readonly ProblemCode[] | undefined {
  switch (outcome.kind) {
    case 'landed':
      return undefined;
    case 'too_large':
      // A hook whose accounts cannot be found leaves the size unknown.
      return ['memo_too_long', 'transaction_too_large', 'transfer_hook_unresolvable'];
    case 'hook_unresolvable':
      return ['transfer_hook_unresolvable'];
    case 'failed':
      return fittingError(outcome.error, outcome.failedProgram);
  }
}

function fittingError(
  error: TransactionError,
  failedProgram: 'creation' | 'transfer' | undefined,
): readonly ProblemCode[] | undefined {
  if (typeof error === 'string') return namedErrors[error];
  if ('InsufficientFundsForRent' in error) return ['insufficient_sol', 'sender_not_a_wallet'];
  if (!('InstructionError' in error)) return undefined;
  const instructionError: InstructionError = error.InstructionError[1];
  if (typeof instructionError === 'string') return namedErrors[instructionError];
  if (!('Custom' in instructionError)) return undefined;
  return (failedProgram === 'creation' ? creationErrors : transferErrors)[instructionError.Custom];
}
