import { type Static, Type } from 'typebox';
import { enumeration } from '../app/openapi/schema-parts.ts';

const closed = { additionalProperties: false } as const;

const parameter = Type.Object(
  {
    name: Type.String({ description: 'Its name in `href`.' }),
    type: enumeration(['number']),
    label: Type.String({ description: 'What wallets write next to the input.' }),
    min: Type.Number({ description: 'In whole tokens.' }),
    max: Type.Number({ description: 'In whole tokens.' }),
    required: Type.Boolean(),
  },
  { $id: 'ActionParameter', ...closed },
);

const linkedAction = Type.Object(
  {
    type: enumeration(['transaction']),
    label: Type.String({ description: 'The text of the button.' }),
    href: Type.String({ description: 'Where to POST the account; `{amount}` is the input.' }),
    parameters: Type.Optional(Type.Array(parameter)),
  },
  { $id: 'LinkedAction', ...closed },
);

/** What a wallet reads of a payment link: a Solana Pay transaction request and a Solana Action in one. */
export const actionSchema = Type.Object(
  {
    type: enumeration(['action']),
    icon: Type.String({ description: 'The URL of an image.' }),
    title: Type.String({ description: 'Who is paid.' }),
    description: Type.String({ description: 'What for, and how much.' }),
    label: Type.String({ description: 'Who is paid, as Solana Pay calls it.' }),
    disabled: Type.Optional(Type.Boolean({ description: 'Of a link that can no longer be paid.' })),
    error: Type.Optional(
      Type.Object(
        { message: Type.String({ description: 'Why, in words for the payer.' }) },
        { $id: 'ActionError', ...closed },
      ),
    ),
    links: Type.Object({ actions: Type.Array(linkedAction) }, { $id: 'ActionLinks', ...closed }),
  },
  { $id: 'Action', ...closed },
);

/** What a wallet reads of a payment link. */
export type ActionJson = Static<typeof actionSchema>;

/** What a wallet sends: its address, and members of its own, which are not read. */
export const payRequestSchema = Type.Object(
  { account: Type.String({ description: "The payer's wallet.", pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }) },
  { $id: 'PaymentRequest', description: 'Other members are ignored.' },
);

const completed = Type.Object(
  {
    type: enumeration(['completed']),
    icon: Type.String(),
    title: Type.String(),
    description: Type.String(),
    label: Type.String(),
  },
  { $id: 'CompletedAction', ...closed },
);

/** What a wallet gets: the transaction to sign and submit. */
export const payReplySchema = Type.Object(
  {
    type: enumeration(['transaction']),
    transaction: Type.String({ description: 'The unsigned transaction in base64.' }),
    message: Type.String({ description: 'What it pays, in words for the payer.' }),
    redirect: Type.Optional(Type.String({ description: 'Where to go after the payment.' })),
    links: Type.Object(
      {
        next: Type.Object(
          { type: enumeration(['inline']), action: completed },
          { $id: 'NextAction', description: 'What to show once it has landed.', ...closed },
        ),
      },
      { $id: 'PaymentLinks', ...closed },
    ),
  },
  { $id: 'PaymentTransaction', ...closed },
);

/** What a wallet gets. */
export type PayReplyJson = Static<typeof payReplySchema>;

/** Which URLs of this origin are Actions. */
export const actionRulesSchema = Type.Object(
  {
    rules: Type.Array(
      Type.Object({ pathPattern: Type.String(), apiPath: Type.String() }, { $id: 'ActionRule', ...closed }),
    ),
  },
  { $id: 'ActionRules', ...closed },
);

/** The body of `/pay/{id}/state`. */
export const payStateSchema = Type.Object(
  {
    state: enumeration(['open', 'paid', 'expired', 'cancelled']),
    is_final: Type.Boolean({ description: 'Whether the state can no longer change.' }),
    phase: enumeration(['open', 'confirmed', 'final', 'taken', 'flawed', 'expired', 'cancelled'], {
      description:
        'What the page shows: `taken` where another has paid first, `flawed` where the payment does not count.',
    }),
    title: Type.String({ description: 'The state in a few words.' }),
    message: Type.String({ description: 'What it means for the payer, and what to do now.' }),
    notes: Type.Array(Type.String(), {
      description: 'What wallets show for the amounts, and what arrives of them, where that is another number.',
    }),
    receipt: Type.Union(
      [
        Type.Object(
          {
            amount: Type.String({ description: 'What left the payer, in whole tokens, for people.' }),
            received: Type.String({ description: 'What arrived, with the name of the token, for people.' }),
            payer: Type.String(),
            signature: Type.String(),
            commitment: enumeration(['confirmed', 'finalized']),
          },
          { $id: 'PaymentReceipt', additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The payment that the words are about.' },
    ),
  },
  { $id: 'PaymentStateReply', additionalProperties: false },
);

/** The body of `/pay/{id}/state`. */
export type PayState = Static<typeof payStateSchema>;

/** A payment that is final. */
export const examplePayState: PayState = {
  state: 'paid',
  is_final: true,
  phase: 'final',
  title: 'Paid',
  message: 'The payment is final. There is nothing left to do.',
  notes: [],
  receipt: {
    amount: '1.50',
    received: '1.50 USDC',
    payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
    commitment: 'finalized',
  },
};
