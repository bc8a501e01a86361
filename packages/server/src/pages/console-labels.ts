import type { Static } from 'typebox';
import type { linkBody } from '../links/link-body.ts';
import type { TransferFields } from '../transfers/transfer-schema.ts';
import type { endpointBody } from '../webhooks/webhook-schema.ts';

/** The name of a field of a request. What must arrive is typed in whole tokens alone. */
export type FieldName =
  | Exclude<keyof TransferFields, 'amount_received'>
  | keyof Static<typeof linkBody>
  | keyof Static<typeof endpointBody>;

/** The groups of optional fields, in the order of the console. */
export const optionGroups = [
  'Seen by the payer',
  'Amounts and tokens',
  'Splits and references',
  'Fees',
  'Lifetime',
  'Accounts',
  'Checks',
  'Metadata',
  'Format',
  'Events and description',
] as const;

/** A group of options. */
export type OptionGroup = (typeof optionGroups)[number];

interface FieldTexts {
  /** The name for people. */
  label: string;
  /** Says what the label does not show; code stands between backticks. */
  hint?: string;
  /** Where it stands unless a form asks for it first. */
  group?: OptionGroup;
}

/** The label of each field in the console, and its group. The API's own description is in the reference. */
export const fieldTexts: Readonly<Record<FieldName, FieldTexts>> = {
  from_address: { label: 'Sender', hint: 'Sends the tokens and signs.' },
  to_address: { label: 'Recipient', hint: 'A wallet, not a token account.' },
  token_mint_address: { label: 'Token', hint: 'Its mint address, or `SOL` in a transfer, batch or link.' },
  amount: { label: 'Amount' },
  amount_decimal: { label: 'Amount' },
  memo: { label: 'Memo', hint: 'Public, on chain.' },
  yid: { label: 'YID', hint: 'Your own ID, written on chain as a public memo.' },
  transfers: {
    label: 'Recipients',
    hint: 'CSV: a line with the column names, then one recipient per line. `amount_decimal` is in whole tokens, `amount` in base units; `token_mint_address` pays in another token.',
  },
  label: { label: 'Who is paid', hint: 'Shown in wallets and on the checkout page.' },
  message: { label: 'What it is for', hint: 'Shown in wallets and on the checkout page.', group: 'Seen by the payer' },
  icon: { label: 'Image', hint: 'An `https:` URL of an SVG, PNG or WebP.', group: 'Seen by the payer' },
  redirect: { label: 'Page to open after payment', hint: 'An `https:` URL.', group: 'Seen by the payer' },
  amount_received_decimal: {
    label: 'Amount received',
    hint: 'What must arrive, after the fee of the token. Leave Amount empty.',
    group: 'Amounts and tokens',
  },
  amount_min: {
    label: 'Minimum',
    hint: 'The payer chooses the amount. Leave Amount empty.',
    group: 'Amounts and tokens',
  },
  amount_max: { label: 'Maximum', group: 'Amounts and tokens' },
  accepts: {
    label: 'Tokens to choose from',
    hint: 'The payer pays one of these amounts. Leave Token and Amount empty.',
    group: 'Amounts and tokens',
  },
  metadata: { label: 'Metadata', hint: 'Your own texts, as JSON. Only your API key reads them.', group: 'Metadata' },
  tip: {
    label: 'Tip',
    hint: 'Some transaction senders require one: a JSON object with `account` and `lamports`.',
    group: 'Fees',
  },
  wrap: { label: 'Wrap SOL first', hint: 'Wraps only what the sender is short of.', group: 'Accounts' },
  unwrap: { label: 'Unwrap SOL afterwards', hint: 'Closes the token account of wrapped SOL.', group: 'Accounts' },
  sponsor_fee_token_mint_address: {
    label: 'Sponsor fee token',
    hint: 'The token being sent, unless you name another.',
    group: 'Fees',
  },
  max_sponsor_fee: { label: 'Maximum sponsor fee', hint: 'In base units.', group: 'Fees' },
  splits: {
    label: 'Splits',
    hint: 'Extra payments in the same transaction, such as a platform fee. Either all of them are paid or none.',
    group: 'Splits and references',
  },
  references: {
    label: 'References',
    hint: 'Addresses that let you find the payment later, as in Solana Pay.',
    group: 'Splits and references',
  },
  fee_payer: {
    label: 'Fee payer',
    hint: 'Pays the network fee and the rent for new accounts instead of the sender, and signs first. Type `sponsor` for the sponsor of this service.',
    group: 'Fees',
  },
  priority_fee: {
    label: 'Priority',
    hint: 'Low, medium and high follow recent prices. A custom price is in micro-lamports per compute unit.',
    group: 'Fees',
  },
  nonce_account: {
    label: 'Nonce account',
    hint: 'For approvals that take longer than a blockhash stays valid.',
    group: 'Lifetime',
  },
  recent_blockhash: { label: 'Blockhash', hint: 'Instead of the latest one.', group: 'Lifetime' },
  last_valid_block_height: {
    label: 'Last block height',
    hint: 'For that blockhash, if you know it.',
    group: 'Lifetime',
  },
  expires_in: { label: 'Valid for', hint: 'In seconds, from 60 to 31536000 (one year).', group: 'Lifetime' },
  single_use: { label: 'Close the link after one payment', group: 'Lifetime' },
  sponsored: { label: 'The sponsor pays the network fee', group: 'Fees' },
  create_token_account: { label: 'Create token accounts', group: 'Accounts' },
  skip_refused: { label: 'Skip recipients who cannot be paid', group: 'Accounts' },
  allow_off_curve_sender: {
    label: 'Allow a vault as sender',
    hint: 'You then import the transaction into its multisig.',
    group: 'Accounts',
  },
  allow_off_curve_recipient: {
    label: 'Allow recipients without a key',
    hint: 'Such as a vault.',
    group: 'Accounts',
  },
  checks: {
    label: 'Checks',
    hint: 'None skips checks of what can change, such as balances. For payments that you fund later.',
    group: 'Checks',
  },
  simulate: { label: 'Simulate first', hint: 'Reject the request if the simulation fails.', group: 'Checks' },
  transaction_version: { label: 'Transaction version', hint: 'Few wallets support version 1.', group: 'Format' },
  layout: { label: 'Layout', hint: 'The order of the instructions, as x402 and MPP expect it.', group: 'Format' },
  encoding: { label: 'Encoding', hint: 'How the reply encodes the transaction.', group: 'Format' },
  summary: { label: 'Describe the transaction', hint: 'Adds a summary to the reply.', group: 'Format' },
  url: { label: 'URL', hint: 'Where your server receives events.' },
  events: { label: 'Events', hint: 'All, unless you choose some.', group: 'Events and description' },
  description: { label: 'Description', hint: 'Shown in your list of endpoints.', group: 'Events and description' },
};

/** Narrows a text to the name of a field. */
export function isFieldName(text: string): text is FieldName {
  return Object.hasOwn(fieldTexts, text);
}

/** The console's words for the values of fields; others are shown as they are. */
export const wordLabels: Readonly<Record<string, string>> = {
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  full: 'All',
  if_missing: 'If missing',
  always: 'Always',
  never: 'Never',
  legacy: 'Legacy',
  default: 'Default',
  array: 'Array of integers',
};
