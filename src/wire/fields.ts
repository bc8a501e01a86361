import { type TSchema, Type } from 'typebox';

/** An example of every field, from the sandbox's world: together they are requests that work there when pasted. */
export const fieldExamples = {
  from_address: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  to_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  amount: '1500000',
  memo: 'invoice 1001',
  yid: 'yid-1001',
  fee_payer: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  priority_fee: 'medium',
  nonce_account: 'gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU',
  transaction_version: 0,
  encoding: 'base64',
  references: ['2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC'],
  allow_off_curve_recipient: true,
  checks: 'none',
  simulate: true,
  summary: true,
} as const;

const addressPattern = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

/** The JSON schema of every request field, by name: the one place that says which fields exist. */
export const fieldSchemas = {
  from_address: Type.String({
    description:
      "The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens, signs and pays the network fee; " +
      'when a token account is created it also pays the rent.',
    pattern: addressPattern,
    examples: [fieldExamples.from_address],
  }),
  to_address: Type.String({
    description: "The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself.",
    pattern: addressPattern,
    examples: [fieldExamples.to_address],
  }),
  token_mint_address: Type.String({
    description: 'The mint of the token, base58 of 32 bytes, of SPL Token or Token-2022.',
    pattern: addressPattern,
    examples: [fieldExamples.token_mint_address],
  }),
  amount: Type.String({
    description:
      'How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as ' +
      'a string of decimal digits from 1 to 18446744073709551615.',
    pattern: '^[1-9][0-9]{0,19}$',
    examples: [fieldExamples.amount],
  }),
  memo: Type.String({
    description:
      'Text to write on chain directly before the transfer, signed by the sender: valid Unicode, as long as the ' +
      'transaction has room (916 bytes of UTF-8; 3,767 in version 1).',
    minLength: 1,
    examples: [fieldExamples.memo],
  }),
  yid: Type.String({
    description:
      'An identifier to write on chain as the memo, as it is. Chooses the reply with the plain array of bytes.',
    minLength: 1,
    examples: [fieldExamples.yid],
  }),
  fee_payer: Type.String({
    description:
      'A wallet that pays the network fee, and the rent of a created account, instead of the sender. Signs first.',
    pattern: addressPattern,
    examples: [fieldExamples.fee_payer],
  }),
  priority_fee: Type.String({
    description:
      'What to pay to be taken sooner: "none" (default); "low", "medium" or "high", the 25th, 50th or 90th percentile of ' +
      'what others paid lately for the same accounts; or micro-lamports per compute unit in decimal digits.',
    pattern: '^(none|low|medium|high|0|[1-9][0-9]{0,19})$',
    default: 'none',
    examples: [fieldExamples.priority_fee],
  }),
  nonce_account: Type.String({
    description:
      'A durable nonce account to live by instead of a blockhash; its authority must be the sender or the fee payer.',
    pattern: addressPattern,
    examples: [fieldExamples.nonce_account],
  }),
  transaction_version: Type.Union([Type.Literal('legacy'), Type.Literal(0), Type.Literal(1)], {
    description: 'The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets read it yet.',
    default: 'legacy',
    examples: [fieldExamples.transaction_version],
  }),
  encoding: Type.Union([Type.Literal('array'), Type.Literal('base64'), Type.Literal('base58')], {
    description: 'How the transaction is written: an array of integers, or one string where the array stood.',
    default: 'array',
    examples: [fieldExamples.encoding],
  }),
  references: Type.Array(Type.String({ pattern: addressPattern }), {
    description: 'Addresses added to the transfer, read-only, by which the payment can be found, as in Solana Pay.',
    maxItems: 10,
    uniqueItems: true,
    examples: [fieldExamples.references],
  }),
  allow_off_curve_recipient: Type.Boolean({
    description:
      'Pay an address that no key can sign for, such as a vault of a program, though it has no token account yet.',
    default: false,
    examples: [fieldExamples.allow_off_curve_recipient],
  }),
  checks: Type.Union([Type.Literal('full'), Type.Literal('none')], {
    description: '"none" builds without judging balances and account states, for payments prepared ahead of funding.',
    default: 'full',
    examples: [fieldExamples.checks],
  }),
  simulate: Type.Boolean({
    description: 'Run the transaction on the Solana node first, and refuse it when that fails.',
    default: false,
    examples: [fieldExamples.simulate],
  }),
  summary: Type.Boolean({
    description: 'Add a member `summary` to the reply that says what the transaction will do.',
    default: false,
    examples: [fieldExamples.summary],
  }),
} satisfies Record<string, TSchema>;

/** The name of a request field. */
export type FieldName = keyof typeof fieldSchemas;

/** The fields that every operation takes and none needs. */
export const optionFields = [
  'fee_payer',
  'priority_fee',
  'nonce_account',
  'transaction_version',
  'encoding',
  'references',
  'allow_off_curve_recipient',
  'checks',
  'simulate',
  'summary',
] as const satisfies readonly FieldName[];

const always = ['from_address', 'to_address', 'token_mint_address', 'amount'] as const;

/** Which fields each kind of request needs. */
export const fieldsOf = {
  memo_transfer: [...always, 'memo'],
  yid_transfer: [...always, 'yid'],
  create_transfer: always,
} as const satisfies Record<string, readonly FieldName[]>;

/** The kind of a request: what its fields and its path choose. */
export type RequestKind = keyof typeof fieldsOf;

/** The two paths that take requests. */
export const paths = {
  memoTransfer: '/v1/token-transfer-memo-hash',
  createTransfer: '/v1/create-token-account-transfer',
} as const;
