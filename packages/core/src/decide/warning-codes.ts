/** What each warning of a summary means, in its order there: codes are stable, never removed and never reused. */
export const warnings = {
  transfer_fee: 'The mint withholds part of the amount, and its issuer can change how much.',
  permanent_delegate: 'The permanent delegate of the mint can move or burn its tokens in any account.',
  mint_can_be_closed: 'The mint can be closed once it has no tokens.',
  interest_bearing: 'Wallets may show a different amount, which grows with time.',
  scaled_ui_amount: 'Wallets may show a multiplied amount.',
  mutable_transfer_hook:
    'The transfer hook authority of the mint can set another program to be called on each transfer.',
  freeze_authority: 'The issuer can freeze any account of this mint.',
  unknown_extension: 'The mint has extensions newer than this service.',
  transfer_hook: 'The mint calls a program on this transfer; the detail names the accounts that the program may write.',
  sender_is_delegate: "The tokens are not the sender's own: their owner, or the mint, lets the sender send them.",
  sender_delegate: "A delegate may send from the sender's token account before this transfer lands.",
  sender_close_authority: "The close authority may take all wrapped SOL out of the sender's token account.",
  recipient_delegate: "A delegate may send tokens, including this payment, from the recipient's token account.",
  recipient_close_authority:
    "The close authority may take all wrapped SOL, including this payment, out of the recipient's token account.",
  durable_nonce: 'The transaction can land long after the checked accounts have changed.',
  memo_control_characters: 'The memo has control characters or line breaks.',
  memo_direction_characters:
    'The memo has characters that change the direction of text, so it may display as a different text.',
  memo_invisible_characters: 'The memo has invisible characters, so memos that look alike may differ.',
} as const satisfies Record<string, string>;

/** The stable code of a warning. */
export type WarningCode = keyof typeof warnings;
