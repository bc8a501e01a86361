import { type TObject, Type } from 'typebox';
import { enumeration, transactionSchema } from '../app/schema-parts.ts';
import type { TransferOperation } from '../operation.ts';
import { batchDataSchema } from './batch-schema.ts';
import { lifetimeSchema, summarySchema } from './summary-schema.ts';

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
            description: 'The serialized unsigned transaction in base64, with 64 zero bytes for each signature.',
          }),
          transaction_version: enumeration(['legacy', 0, 1]),
          lifetime: lifetimeSchema,
          signers: Type.Array(Type.String(), { description: 'Who must sign, in the order of the signatures.' }),
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
