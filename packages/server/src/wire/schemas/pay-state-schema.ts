import { type Static, Type } from 'typebox';
import { enumeration } from './enumeration.ts';

/** The body of `/pay/{id}/state`. */
export const payStateSchema = Type.Object(
  {
    state: enumeration(['open', 'paid', 'expired', 'cancelled']),
    is_final: Type.Boolean({ description: 'Whether nothing here can change any more.' }),
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
