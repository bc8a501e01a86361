import { type TSchema, Type } from 'typebox';

/** An example of every field, from the sandbox's world: together they are requests that work there when pasted. */
export const fieldExamples = {
  from_address: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  to_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  amount: '1500000',
  memo: 'invoice 1001',
  yid: 'yid-1001',
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
      'transaction has room (916 bytes of UTF-8).',
    minLength: 1,
    examples: [fieldExamples.memo],
  }),
  yid: Type.String({
    description:
      'An identifier to write on chain as the memo, as it is. Chooses the reply with the plain array of bytes.',
    minLength: 1,
    examples: [fieldExamples.yid],
  }),
} satisfies Record<string, TSchema>;

/** The name of a request field. */
export type FieldName = keyof typeof fieldSchemas;

const always = ['from_address', 'to_address', 'token_mint_address', 'amount'] as const;

/** Which fields each kind of request takes; all of them are required. */
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
