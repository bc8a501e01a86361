import { type TSchema, Type } from 'typebox';
import { address, enumeration, lamports, tokenAmount, warnings } from '../app/openapi/schema-parts.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const delegate = nullable(
  Type.Object({ address, amount: tokenAmount }, { $id: 'Delegate', additionalProperties: false }),
);

const splitSchema = Type.Object(
  {
    recipient: address,
    recipient_token_account: address,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
    creates_token_account: Type.Boolean(),
    thaws_token_account: Type.Boolean(),
    recipient_token_account_delegate: delegate,
    recipient_token_account_close_authority: nullable(address),
  },
  { $id: 'SplitSummary', additionalProperties: false },
);

/** What a transaction will do once it lands, as the `summary` member of a reply says it. */
export const summarySchema = Type.Object(
  {
    transaction_version: enumeration(['legacy', 0, 1], { $id: 'TransactionVersion' }),
    size: Type.Integer({ description: 'Bytes of the transaction.' }),
    size_limit: Type.Integer({ description: 'Bytes that the network takes in this version.' }),
    signers: Type.Array(address, { description: 'Who must sign, in the order of the signatures.' }),
    fee_payer: address,
    token_program: address,
    decimals: Type.Integer(),
    sender: address,
    sender_token_account: address,
    recipient: address,
    recipient_token_account: address,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
    network_fee: lamports('The fee for the signatures'),
    priority_fee: lamports('The priority fee'),
    rent: lamports('The rent of all created token accounts'),
    creates_token_account: Type.Boolean(),
    thaws_token_account: Type.Boolean({ description: "Whether the recipient's frozen token account is thawed first." }),
    splits: Type.Array(splitSchema, {
      description: 'The payments to others before the one to the recipient, in their order.',
    }),
    compute_unit_limit: nullable(Type.Integer({ description: 'null: the default of the network.' })),
    compute_units_consumed: nullable(
      Type.Integer({ description: 'What the simulation consumed; null without a simulation.' }),
    ),
    blockhash: nullable(Type.String()),
    last_valid_block_height: nullable(Type.String()),
    nonce: nullable(
      Type.Object(
        { account: address, authority: address, value: Type.String() },
        { $id: 'Nonce', additionalProperties: false },
      ),
    ),
    recipient_requires_memo: Type.Boolean(),
    memo: nullable(Type.String({ description: 'The text written on chain; null without a memo.' })),
    references: Type.Array(address, { description: 'Read-only accounts by which the payment can be found.' }),
    transfer_hook: Type.Union(
      [
        Type.Object(
          {
            program: address,
            writable_accounts: Type.Array(address, { description: 'The accounts that the program may write.' }),
          },
          { $id: 'TransferHook', additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The program that the mint calls on the transfer; null if it calls none.' },
    ),
    sender_token_account_delegate: delegate,
    sender_token_account_close_authority: nullable(address),
    recipient_token_account_delegate: delegate,
    recipient_token_account_close_authority: nullable(address),
    warnings,
  },
  { $id: 'Summary', additionalProperties: false },
);
