import { type Static, type TSchema, Type } from 'typebox';
import { listQuery } from '../app/list-cursor.ts';
import { addressPattern, closed, digits, enumeration, type SchemaNotes } from '../app/schema-parts.ts';

const nullable = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const time = { format: 'date-time' } as const;

// Of the examples.
const mint = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
const wallet = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
const signature = '5mkvYbyfsBMvvPwFCSLxHncVRiBCqBgyao3sBkZgehJ3uwxGXxZmsr6J5Mu19YjBK8uh95UenC56T48To2NehGm6';
const tokenAccount = '4hpZWzPsYdkd6S8EzNWFjWVGJRfjHzXLu8fVjGvLyJk2';

/** The parameter of the path that says what is watched of a wallet. */
export const recipientPath = Type.Object({ wallet: Type.String({ description: 'The wallet.', examples: [wallet] }) });

const maxMints = 20;

/** The body that says what is watched of a wallet. */
export const recipientBody = Type.Object(
  {
    token_mint_addresses: Type.Array(Type.String({ pattern: addressPattern }), {
      description: `The mints whose payments to the wallet are listed, at most ${maxMints}. None ends it.`,
      maxItems: maxMints,
      uniqueItems: true,
      examples: [[mint]],
    }),
  },
  { component: 'RecipientRequest', ...closed },
);

/** A watched token account. */
export const recipientSchema = Type.Object(
  {
    recipient: Type.String({ description: 'The wallet.' }),
    token_mint_address: Type.String({ description: 'The mint.' }),
    token_account: Type.String({ description: 'Its associated token account, whether it is there yet or not.' }),
    created_at: Type.String({ description: 'Since when it is watched.', ...time }),
    problem: nullable(Type.String(), 'Why something may be missing or late now; null where nothing is.'),
  },
  { component: 'Recipient', ...closed },
);

/** One transaction's credit to a token account. */
export const creditSchema = Type.Object(
  {
    id: Type.String({
      description: 'Its id: `signature.token_account`. A transaction can bring something to several accounts.',
    }),
    signature: Type.String({ description: 'The transaction, in base58.' }),
    recipient: Type.String({ description: 'The wallet that was paid.' }),
    token_mint_address: Type.String({ description: 'The mint.' }),
    token_account: Type.String({ description: 'The token account that was credited.' }),
    amount: Type.String({ description: 'By how much, in base units.', ...digits }),
    payer: nullable(
      Type.String(),
      'The owner of the token account that it came from; null where several could be it, or none: newly minted tokens have no previous owner.',
    ),
    memo: nullable(Type.String(), 'The first memo of the transaction.'),
    references: Type.Array(Type.String(), { description: 'The references of the transfer.' }),
    payment_link_id: nullable(Type.String(), 'The `id` of the payment link of which it carries the reference.'),
    state: enumeration(['confirmed', 'finalized'], { description: 'How certain it is.' }),
    slot: Type.String({ description: 'Its slot.', ...digits }),
    block_time: nullable(Type.Integer(), 'Seconds since 1970 at its block; null where the node does not say.'),
    seen_at: Type.String({ description: 'When it was first seen.', ...time }),
  },
  { component: 'Credit', ...closed },
);

/** A watched token account as JSON. */
export type RecipientJson = Static<typeof recipientSchema>;
/** A credit as JSON. */
export type CreditJson = Static<typeof creditSchema>;

/** The query of a page of credits. */
export const incomingQuery = Type.Object(
  {
    recipient: Type.Optional(
      Type.String({ description: 'Only what this wallet got.', pattern: addressPattern, examples: [wallet] }),
    ),
    mint: Type.Optional(Type.String({ description: 'Only in this mint.', pattern: addressPattern, examples: [mint] })),
    memo: Type.Optional(
      Type.String({
        description: 'Only with just this memo.',
        pattern: '^[^\\u0000]*$',
        expected: 'a text without U+0000',
        examples: ['invoice 1001'],
      } satisfies SchemaNotes & Record<string, unknown>),
    ),
    ...listQuery,
  },
  closed,
);

export const exampleRecipient: RecipientJson = {
  recipient: wallet,
  token_mint_address: mint,
  token_account: tokenAccount,
  created_at: '2026-11-27T12:00:00.000Z',
  problem: null,
};

/** A withdrawal from an exchange. */
export const exampleCredit: CreditJson = {
  id: `${signature}.${tokenAccount}`,
  signature,
  recipient: wallet,
  token_mint_address: mint,
  token_account: tokenAccount,
  amount: '1500000',
  payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  memo: 'invoice 1001',
  references: [],
  payment_link_id: null,
  state: 'finalized',
  slot: '440208505',
  block_time: 1_795_780_800,
  seen_at: '2026-11-27T12:00:01.000Z',
};
