import { type Static, Type } from 'typebox';
import { addressPattern, closed, enumeration } from '../app/schema-parts.ts';
import type { LinkJson } from './link-schema.ts';

const parameter = Type.Object(
  {
    name: Type.String({ description: 'Its name in `href`.' }),
    type: enumeration(['number']),
    label: Type.String({ description: 'What wallets write next to the input.' }),
    min: Type.Number({ description: 'In whole tokens.' }),
    max: Type.Number({ description: 'In whole tokens.' }),
    required: Type.Boolean(),
  },
  { component: 'ActionParameter', ...closed },
);

const linkedAction = Type.Object(
  {
    type: enumeration(['transaction']),
    label: Type.String({ description: 'The text of the button.' }),
    href: Type.String({ description: 'Where to POST the account; `{amount}` is the input.' }),
    parameters: Type.Optional(Type.Array(parameter)),
  },
  { component: 'LinkedAction', ...closed },
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
        { component: 'ActionError', ...closed },
      ),
    ),
    links: Type.Object({ actions: Type.Array(linkedAction) }, { component: 'ActionLinks', ...closed }),
  },
  { component: 'Action', ...closed },
);

/** What a wallet reads of a payment link. */
export type ActionJson = Static<typeof actionSchema>;

/** What a wallet sends: its address, and members of its own, which are not read. */
export const payRequestSchema = Type.Object(
  { account: Type.String({ description: "The payer's wallet.", pattern: addressPattern }) },
  {
    component: 'PaymentRequest',
    description: 'Other members are ignored.',
    'x-examples': { payer: { value: { account: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn' } } },
  },
);

const completed = Type.Object(
  {
    type: enumeration(['completed']),
    icon: Type.String(),
    title: Type.String(),
    description: Type.String(),
    label: Type.String(),
  },
  { component: 'CompletedAction', ...closed },
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
          { component: 'NextAction', description: 'What to show once it has landed.', ...closed },
        ),
      },
      { component: 'PaymentLinks', ...closed },
    ),
  },
  { component: 'PaymentTransaction', ...closed },
);

/** What a wallet gets. */
export type PayReplyJson = Static<typeof payReplySchema>;

/** The body of `/pay/{id}/state`. */
export interface PayState {
  state: LinkJson['state'];
  /** Whether the state can no longer change. */
  is_final: boolean;
  /** What the page shows: `taken` where another has paid first, `flawed` where the payment does not count. */
  phase: 'open' | 'confirmed' | 'final' | 'taken' | 'flawed' | 'expired' | 'cancelled';
  /** The state in a few words. */
  title: string;
  /** What it means for the payer, and what to do now. */
  message: string;
  /** What wallets show for the amounts, and what arrives of them, where that is another number. */
  notes: string[];
  /** The payment that the words are about. */
  receipt: PaymentReceipt | null;
}

/** A payment, in words for its payer. */
export interface PaymentReceipt {
  /** What left the payer, in whole tokens. */
  amount: string;
  /** What arrived, with the name of the token. */
  received: string;
  payer: string;
  signature: string;
  commitment: 'confirmed' | 'finalized';
}
