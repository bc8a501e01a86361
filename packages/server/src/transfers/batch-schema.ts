import { type Static, Type } from 'typebox';
import { landedBatchTransactionSchema } from '../app/problem-schema.ts';
import { address, enumeration } from '../app/schema-parts.ts';
import { lamports, lifetimeSchema, tokenAmount, warnings } from './summary-schema.ts';

/** What a batch will do once all of it has landed. */
const batchSummarySchema = Type.Object(
  {
    transaction_count: Type.Integer({ description: 'How many transactions make all transfers.' }),
    fewest_transactions: Type.Integer({ description: 'No packing of these transfers has fewer.' }),
    transfer_count: Type.Integer(),
    fee_payer: address,
    token_program: address,
    decimals: Type.Integer(),
    sender: address,
    sender_token_account: address,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
    network_fee: lamports('The fees for the signatures'),
    priority_fee: lamports('The priority fees'),
    rent: lamports('The rent of all created token accounts'),
    created_token_accounts: Type.Integer({ description: 'How many token accounts are created.' }),
    warnings,
  },
  {
    component: 'BatchSummary',
    description: 'The totals of all transactions, to the lamport and the base unit.',
    additionalProperties: false,
  },
);

/** The `data` of the reply to a batch. */
export const batchDataSchema = Type.Object(
  {
    transactions: Type.Array(
      Type.Object(
        {
          transaction: Type.String({ description: 'The serialized unsigned transaction in base64.' }),
          transfers: Type.Array(Type.Integer(), {
            description: 'The transfers that it makes, by their indices in the request.',
          }),
          signers: Type.Array(Type.String(), { description: 'Who must sign, in the order of the signatures.' }),
        },
        { component: 'BatchTransaction', additionalProperties: false },
      ),
    ),
    landed: Type.Optional(
      Type.Array(landedBatchTransactionSchema, {
        description:
          'Only where a part of the batch has landed under its `Idempotency-Key` and the rest was built again: what is already paid. `transactions` and `summary` have the rest.',
      }),
    ),
    transaction_version: enumeration(['legacy', 0, 1]),
    lifetime: lifetimeSchema,
    summary: batchSummarySchema,
  },
  { component: 'BatchData', additionalProperties: false },
);

/** What the reply to a batch says. */
export type BatchData = Static<typeof batchDataSchema>;
