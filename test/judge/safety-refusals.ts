import type { ProblemCode } from '../../packages/server/src/errors.ts';

/** The codes of refusals of what could land: each is marked as such in the table of problems, with its reason. */
export const safetyRefusals: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'memo_too_costly',
  'memo_holds_api_key',
  'same_wallet',
  'sender_not_a_wallet',
  'fee_payer_not_a_wallet',
  'priority_fee_too_high',
  'recipient_token_account_not_owned',
  'recipient_is_token_account',
  'recipient_is_mint',
  'recipient_is_program',
  'recipient_multisig_of_other_program',
  'recipient_not_a_wallet',
  'recipient_off_curve',
  'transfer_hook_unresolvable',
  'transaction_too_costly',
  'mint_too_large',
  'layout_conflict',
  'layout_not_possible',
  'nonce_for_several_transactions',
  'nothing_received',
]);
