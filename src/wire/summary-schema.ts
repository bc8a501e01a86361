import { Type } from 'typebox';

const address = Type.String({ description: 'Base58 of 32 bytes.' });
const lamports = (description: string) =>
  Type.String({ description: `${description}, in lamports.`, pattern: '^[0-9]+$' });
const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const tokenAmount = Type.Object(
  { base_units: Type.String({ pattern: '^[0-9]+$' }), decimal: Type.String() },
  { additionalProperties: false, description: 'Exact base units, and the same as decimal text.' },
);

/** What a transaction will do once it lands, as the `summary` member of a reply says it. */
export const summarySchema = Type.Object(
  {
    transaction_version: Type.Union([Type.Literal('legacy'), Type.Literal(0), Type.Literal(1)]),
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
    network_fee: lamports('What the signatures cost'),
    priority_fee: lamports('What is paid to be taken sooner'),
    rent: lamports('What the created token account costs'),
    creates_token_account: Type.Boolean(),
    compute_unit_limit: nullable(Type.Integer({ description: "null: the network's default grant." })),
    compute_units_consumed: nullable(Type.Integer({ description: 'What the simulation took; null without one.' })),
    blockhash: nullable(Type.String()),
    last_valid_block_height: nullable(Type.String()),
    nonce: Type.Union([
      Type.Object({ account: address, authority: address, value: Type.String() }, { additionalProperties: false }),
      Type.Null(),
    ]),
    recipient_requires_memo: Type.Boolean(),
    warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: false }), {
      description: 'What the payer or the recipient should hear of the token, though the transfer lands.',
    }),
  },
  { additionalProperties: false },
);
