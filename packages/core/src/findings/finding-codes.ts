/**
 * Every reason for which the core refuses a transfer, and what `checks: "none"` makes of it.
 *
 * `request`: the request itself is at fault, whatever the chain says. `refused`: refused all the same, since it decides who
 * gets the money, or there are no bytes without it. `funding` and `time`: left out, since these can change it.
 */
export const findingCodes = {
  invalid_value: 'request',
  invalid_address: 'request',
  invalid_amount: 'request',
  invalid_memo: 'request',
  memo_too_long: 'request',
  memo_too_costly: 'request',
  same_wallet: 'request',
  sender_off_curve: 'request',
  fee_payer_off_curve: 'request',
  lifetime_conflict: 'request',
  layout_conflict: 'request',
  mint_not_found: 'refused',
  not_a_mint: 'refused',
  mint_too_large: 'refused',
  amount_not_representable: 'refused',
  mint_paused: 'time',
  mint_non_transferable: 'refused',
  sender_not_a_wallet: 'refused',
  fee_payer_not_a_wallet: 'refused',
  sender_token_account_not_found: 'funding',
  sender_token_account_not_owned: 'refused',
  sender_token_account_frozen: 'time',
  insufficient_token_balance: 'funding',
  insufficient_sol: 'funding',
  recipient_token_account_not_found: 'time',
  recipient_token_account_not_owned: 'refused',
  recipient_token_account_frozen: 'time',
  recipient_refuses_public_credits: 'time',
  new_token_account_would_be_frozen: 'time',
  recipient_requires_memo: 'time',
  recipient_is_token_account: 'refused',
  recipient_is_mint: 'refused',
  recipient_is_program: 'refused',
  recipient_multisig_of_other_program: 'refused',
  recipient_not_a_wallet: 'refused',
  recipient_off_curve: 'refused',
  nonce_account_not_found: 'refused',
  not_a_nonce_account: 'refused',
  nonce_account_not_initialized: 'refused',
  nonce_authority_not_a_signer: 'refused',
  blockhash_not_valid: 'refused',
  priority_fee_too_high: 'refused',
  transfer_hook_unresolvable: 'refused',
  layout_not_possible: 'refused',
  transaction_too_large: 'refused',
  transaction_too_costly: 'refused',
  nonce_for_several_transactions: 'refused',
  nothing_received: 'refused',
} as const satisfies Record<string, 'request' | 'refused' | 'funding' | 'time'>;

/** The stable code of a reason. */
export type FindingCode = keyof typeof findingCodes;
