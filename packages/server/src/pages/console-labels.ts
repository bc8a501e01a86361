import type { Static } from 'typebox';
import type { linkBody } from '../links/link-body.ts';
import type { TransferFields } from '../transfers/transfer-schema.ts';
import type { endpointBody } from '../webhooks/webhook-schema.ts';

/** The name of a field of a request. What must arrive is typed in whole tokens alone. */
export type FieldName =
  | Exclude<keyof TransferFields, 'amount_received'>
  | keyof Static<typeof linkBody>
  | keyof Static<typeof endpointBody>;

/** What a field of the console is for: the groups of its options stand in this order. */
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
  'Endpoint',
] as const;

/** A group of options. */
export type OptionGroup = (typeof optionGroups)[number];

interface FieldTexts {
  /** What people call it. */
  label: string;
  /** What they cannot see from its label; code stands between backticks. */
  hint?: string;
  /** Where it stands unless a form asks for it first. */
  group?: OptionGroup;
}

/** What the console calls each field, and in which group it stands. The API's own description is in the reference. */
export const fieldTexts: Readonly<Record<FieldName, FieldTexts>> = {
  from_address: { label: 'Sender', hint: 'Sends the tokens, and signs.' },
  to_address: { label: 'Recipient', hint: 'A wallet, not a token account.' },
  token_mint_address: { label: 'Token', hint: 'The address of its mint, or `SOL`.' },
  amount: { label: 'Amount' },
  amount_decimal: { label: 'Amount' },
  memo: { label: 'Memo', hint: 'Public, on chain.' },
  yid: { label: 'YID', hint: 'Your identifier, public on chain as the memo.' },
  transfers: {
    label: 'Recipients',
    hint: 'CSV: a line that names the columns, then one recipient a line. `amount_decimal` is in whole tokens, `amount` in base units.',
  },
  label: { label: 'Who is paid', hint: 'Shown by wallets and the checkout page.' },
  message: { label: 'What for', hint: 'Shown by wallets and the checkout page.', group: 'Seen by the payer' },
  icon: { label: 'Picture', hint: 'An `https:` URL of an SVG, PNG or WebP.', group: 'Seen by the payer' },
  redirect: { label: 'Page after the payment', hint: 'An `https:` URL.', group: 'Seen by the payer' },
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
  tip: { label: 'Tip', hint: 'For senders that want one: a JSON object with `account` and `lamports`.', group: 'Fees' },
  wrap: { label: 'Wrap SOL first', hint: 'As much as the sender lacks in wrapped SOL.', group: 'Accounts' },
  unwrap: { label: 'Unwrap SOL afterwards', hint: 'Closes the token account of wrapped SOL.', group: 'Accounts' },
  sponsor_fee_token_mint_address: {
    label: "Token of the sponsor's fee",
    hint: 'Without it the token that is sent.',
    group: 'Fees',
  },
  max_sponsor_fee: { label: 'Most that the sponsor may take', hint: 'In base units.', group: 'Fees' },
  splits: {
    label: 'Splits',
    hint: 'More payments in the same transaction, such as a fee of a platform. The sender pays all of them or none.',
    group: 'Splits and references',
  },
  references: {
    label: 'References',
    hint: 'Addresses by which the payment can be found, as in Solana Pay.',
    group: 'Splits and references',
  },
  fee_payer: {
    label: 'Fee payer',
    hint: 'Pays the network fee and the rent of new accounts instead of the sender, and signs first. `sponsor`: that of this service.',
    group: 'Fees',
  },
  priority_fee: {
    label: 'Priority',
    hint: 'Low, medium and high follow recent prices. A price of your own is in micro-lamports per compute unit.',
    group: 'Fees',
  },
  nonce_account: {
    label: 'Nonce account',
    hint: 'For approvals that take longer than a blockhash lives.',
    group: 'Lifetime',
  },
  recent_blockhash: { label: 'Blockhash', hint: 'Instead of the newest one.', group: 'Lifetime' },
  last_valid_block_height: {
    label: 'Last block height',
    hint: 'Of that blockhash, if you know it.',
    group: 'Lifetime',
  },
  expires_in: { label: 'Valid for', hint: 'Seconds: from 60 to 31536000, which is a year.', group: 'Lifetime' },
  single_use: { label: 'One payment closes the link', group: 'Lifetime' },
  sponsored: { label: 'The sponsor pays the network fee', group: 'Fees' },
  create_token_account: { label: 'Create token accounts', group: 'Accounts' },
  skip_refused: { label: 'Leave out who cannot be paid', group: 'Accounts' },
  allow_off_curve_sender: {
    label: 'Allow a vault as the sender',
    hint: 'For import into its multisig.',
    group: 'Accounts',
  },
  allow_off_curve_recipient: {
    label: 'Allow recipients without a key',
    hint: 'Such as a vault.',
    group: 'Accounts',
  },
  checks: {
    label: 'Checks',
    hint: 'None skips what can change, such as balances: for payments that are funded later.',
    group: 'Checks',
  },
  simulate: { label: 'Simulate first', hint: 'Refuse it if the simulation fails.', group: 'Checks' },
  transaction_version: { label: 'Transaction version', hint: 'Few wallets support version 1.', group: 'Format' },
  layout: { label: 'Layout', hint: 'The order of the instructions, as x402 and MPP want it.', group: 'Format' },
  encoding: { label: 'Encoding', hint: 'Of the transaction in the reply.', group: 'Format' },
  summary: { label: 'Describe the transaction', hint: 'Adds a summary to the reply.', group: 'Format' },
  url: { label: 'URL', hint: 'Where your server takes events.' },
  events: { label: 'Events', hint: 'All, unless you choose some.', group: 'Endpoint' },
  description: { label: 'Description', hint: 'For the people who read the list.', group: 'Endpoint' },
};

/** Narrows a text to the name of a field. */
export function isFieldName(text: string): text is FieldName {
  return Object.hasOwn(fieldTexts, text);
}

/** What the console calls the words that a field takes; others are called as they are. */
export const wordLabels: Readonly<Record<string, string>> = {
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  full: 'All',
  if_missing: 'Where they are missing',
  always: 'Always',
  never: 'Never',
  legacy: 'Legacy',
  default: 'Usual',
  array: 'Array of integers',
};
