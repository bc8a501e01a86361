import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { messageHashSchema } from '../app/message-hash.ts';
import { metadataSchema } from '../app/metadata.ts';
import { batchProgress, lifetimeSchema, problemErrors } from '../app/problem-schema.ts';
import {
  address,
  describeCodes,
  enumeration,
  sponsorFeeSchema,
  tokenAmount,
  transactionSchema,
} from '../app/schema-parts.ts';
import type { TransferOperation } from '../operation.ts';
import { warningMeanings } from './words/warning-words.ts';

/** Makes the schema of lamports; `description` says of what. */
const lamports = (description: string) =>
  Type.String({ description: `${description}, in lamports.`, pattern: '^[0-9]+$' });

const warningCode = enumeration<string>(Object.keys(warningMeanings), {
  component: 'WarningCode',
  description: describeCodes('The stable code of a warning, to switch on; more may be added.', warningMeanings),
});

/** The warnings of a summary. */
export const warnings = Type.Array(
  Type.Object(
    {
      code: warningCode,
      level: enumeration(['warning', 'note'], {
        description:
          '`note` for what is so with many tokens, such as an issuer that can freeze accounts. Show it apart.',
      }),
      detail: Type.String(),
    },
    { component: 'Warning', additionalProperties: false },
  ),
  {
    description:
      'What the payer or the recipient should know although the transfer lands: the most costly first, notes last.',
  },
);

/** The `lifetime` of a reply. */
export type LifetimeJson = Static<typeof lifetimeSchema>;

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const delegate = nullable(
  Type.Object({ address, amount: tokenAmount }, { component: 'Delegate', additionalProperties: false }),
);

/** Of a payment of SOL there is none. */
const ofTokens = nullable(Type.String({ description: 'Base58 of 32 bytes; null where SOL is sent.' }));

const splitSchema = Type.Object(
  {
    recipient: address,
    recipient_token_account: ofTokens,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
    creates_token_account: Type.Boolean(),
    thaws_token_account: Type.Boolean(),
    recipient_token_account_delegate: delegate,
    recipient_token_account_close_authority: nullable(address),
  },
  { component: 'SplitSummary', additionalProperties: false },
);

const sponsorFee = Type.Optional(sponsorFeeSchema);

/** The effects of a transaction that lands: the `summary` member of a reply. */
export const summarySchema = Type.Object(
  {
    transaction_version: enumeration(['legacy', 0, 1], { component: 'TransactionVersion' }),
    message_hash: messageHashSchema,
    size: Type.Integer({ description: 'Bytes of the transaction.' }),
    size_limit: Type.Integer({ description: 'Bytes that the network takes in this version.' }),
    signers: Type.Array(address, { description: 'Who must sign, in the order of the signatures.' }),
    fee_payer: address,
    token_program: ofTokens,
    token_symbol: nullable(
      Type.String({ description: 'What the issuer calls the token. Any token can have any name: compare the mint.' }),
    ),
    token_name: nullable(Type.String()),
    decimals: Type.Integer(),
    sender: address,
    sender_token_account: ofTokens,
    recipient: address,
    recipient_token_account: ofTokens,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
    network_fee: lamports('The fee for the signatures'),
    priority_fee: lamports('The priority fee'),
    rent: lamports('The rent of all created token accounts'),
    tip: nullable(
      Type.Object(
        { account: address, lamports: lamports('What the fee payer pays it') },
        { component: 'PaidTip', additionalProperties: false },
      ),
    ),
    wrap: Type.Optional(
      Type.Object(
        {
          lamports: lamports('What is wrapped'),
          rent: lamports("The rent of the sender's token account, if it is created"),
        },
        {
          component: 'Wrap',
          description: 'SOL that the sender wraps first; absent where none.',
          additionalProperties: false,
        },
      ),
    ),
    unwrap: Type.Optional(
      Type.Object(
        { lamports: lamports('What comes back, rent included') },
        {
          component: 'Unwrap',
          description:
            'What the sender gets as SOL when its token account is closed at the end; absent where it is not.',
          additionalProperties: false,
        },
      ),
    ),
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
        { component: 'Nonce', additionalProperties: false },
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
          { component: 'TransferHook', additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The program that the mint calls on the transfer; null if it calls none.' },
    ),
    sender_token_account_delegate: delegate,
    sender_token_account_close_authority: nullable(address),
    recipient_token_account_delegate: delegate,
    recipient_token_account_close_authority: nullable(address),
    sponsor_fee: sponsorFee,
    warnings,
  },
  { component: 'Summary', additionalProperties: false },
);

const batchTokens = Type.Object(
  {
    token_mint_address: Type.String({ description: 'Base58 of 32 bytes, or "SOL".' }),
    token_program: ofTokens,
    decimals: Type.Integer(),
    sender_token_account: ofTokens,
    amount: tokenAmount,
    transfer_fee: tokenAmount,
    received_amount: tokenAmount,
  },
  { component: 'BatchTokens', additionalProperties: false },
);

/** The effects of a batch once all of it has landed. */
const batchSummarySchema = Type.Object(
  {
    transaction_count: Type.Integer({ description: 'How many transactions make all transfers.' }),
    fewest_transactions: Type.Integer({
      description: 'No packing of these transfers has fewer, with one mint in each transaction.',
    }),
    transfer_count: Type.Integer(),
    fee_payer: address,
    sender: address,
    tokens: Type.Array(batchTokens, { description: 'What is sent of each mint, in the order of the transfers.' }),
    network_fee: lamports('The fees for the signatures'),
    priority_fee: lamports('The priority fees'),
    rent: lamports('The rent of all created token accounts'),
    created_token_accounts: Type.Integer({ description: 'How many token accounts are created.' }),
    sponsor_fee: sponsorFee,
    warnings,
  },
  {
    component: 'BatchSummary',
    description: 'The totals of all transactions, to the lamport and the base unit.',
    additionalProperties: false,
  },
);

/** The `data` of the reply to a batch. */
const batchDataSchema = Type.Object(
  {
    transactions: Type.Array(
      Type.Object(
        {
          transaction: Type.String({
            description: 'The serialized transaction in base64, signed by its sponsor alone, if it has one.',
          }),
          message_hash: messageHashSchema,
          transfers: Type.Array(Type.Integer(), {
            description: 'The transfers that it makes, by their indices in the request.',
          }),
          signers: Type.Array(Type.String(), { description: 'Who must sign, in the order of the signatures.' }),
          sponsor_fee: sponsorFee,
        },
        { component: 'BatchTransaction', additionalProperties: false },
      ),
      {
        description:
          'What was built for this request, which `lifetime` and `summary` are about. Empty, and these absent, where a retry builds nothing.',
      },
    ),
    ...batchProgress,
    refused: Type.Optional(
      Type.Array(
        Type.Object(
          {
            index: Type.Integer({ description: 'The index of the transfer in the request.' }),
            errors: problemErrors,
          },
          { component: 'RefusedTransfer', additionalProperties: false },
        ),
        { description: 'Only with `skip_refused`: the transfers that cannot be paid now, each with every reason.' },
      ),
    ),
    metadata: Type.Optional(metadataSchema),
    transaction_version: enumeration(['legacy', 0, 1]),
    lifetime: Type.Optional(lifetimeSchema),
    summary: Type.Optional(batchSummarySchema),
  },
  { component: 'BatchData', additionalProperties: false },
);

/** The `data` of the reply to a batch. */
export type BatchData = Static<typeof batchDataSchema>;

const multisigImport = Type.Object(
  {
    transaction_base58: Type.String(),
    message: Type.String({ description: 'The message alone, without signatures, in base64.' }),
    message_base58: Type.String(),
  },
  {
    component: 'MultisigImport',
    description:
      'Only for a vault: what its multisig imports as a proposal. Do not sign or send the transaction itself.',
    additionalProperties: false,
  },
);

const summary = Type.Optional(summarySchema);

/** The status texts of the success replies, as clients already compare them. */
export const statusTexts = {
  memo_transfer: 'token transfer with memo and blockhash created successfully',
  yid_transfer: 'SPL token transfer tx created successfully',
  create_transfer: 'transfer tx with create token account instruction created successfully',
  transfer: 'transfer tx created successfully',
  batch: 'batch of transfer txs created successfully',
} as const satisfies Record<TransferOperation, string>;

/** The success replies, by operation. */
export const replySchemas = {
  memo_transfer: Type.Object(
    {
      data: Type.Object(
        {
          transaction: transactionSchema,
          latestBlockhash: Type.String({ description: 'The blockhash in the transaction, or the nonce.' }),
        },
        { component: 'TransactionWithBlockhash', additionalProperties: false },
      ),
      status: enumeration([statusTexts.memo_transfer]),
      summary,
    },
    { component: 'MemoTransferReply', additionalProperties: false },
  ),
  yid_transfer: Type.Object(
    { data: transactionSchema, status: enumeration([statusTexts.yid_transfer]), summary },
    { component: 'YidTransferReply', additionalProperties: false },
  ),
  create_transfer: Type.Object(
    { data: transactionSchema, status: enumeration([statusTexts.create_transfer]), summary },
    { component: 'CreateTransferReply', additionalProperties: false },
  ),
  transfer: Type.Object(
    {
      data: Type.Object(
        {
          transaction: Type.String({
            description:
              'The serialized transaction in base64, with 64 zero bytes for each missing signature: all of them, but that of a sponsor.',
          }),
          transaction_version: enumeration(['legacy', 0, 1]),
          lifetime: lifetimeSchema,
          signers: Type.Array(Type.String(), { description: 'Who must sign, in the order of the signatures.' }),
          multisig_import: Type.Optional(multisigImport),
          metadata: Type.Optional(metadataSchema),
          summary: summarySchema,
        },
        { component: 'TransferData', additionalProperties: false },
      ),
      status: enumeration([statusTexts.transfer]),
    },
    { component: 'TransferReply', additionalProperties: false },
  ),
  batch: Type.Object(
    { data: batchDataSchema, status: enumeration([statusTexts.batch]) },
    { component: 'BatchReply', additionalProperties: false },
  ),
} satisfies Record<TransferOperation, TObject>;

/** The success reply of the path that takes `memo` or `yid`. */
export const tokenTransferReply = Type.Unsafe({
  oneOf: [replySchemas.memo_transfer, replySchemas.yid_transfer],
  component: 'TokenTransferReply',
});
