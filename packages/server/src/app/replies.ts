import { type Static, type TObject, Type } from 'typebox';
import type { TransferOperation } from '../operation.ts';
import {
  type DescribedFinding,
  type LandedBatchTransaction,
  type LandedTransfer,
  type ProblemCode,
  problems,
} from '../problems.ts';
import { batchDataSchema, landedBatchTransactionSchema } from '../transfers/batch-schema.ts';
import { summarySchema } from '../transfers/summary-schema.ts';
import { enumeration, lifetimeSchema } from './openapi/schema-parts.ts';

/** The media type of every refusal (RFC 9457). */
export const problemMediaType = 'application/problem+json';

const transactionBytes = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
  description:
    'The serialized transaction, with 64 zero bytes for each missing signature: at most 1,232 bytes, or 4,096 in version 1.',
  maxItems: 4096,
});

/** A transaction in any encoding. A reply has the one that `encoding` asks for. */
export const transactionSchema = Type.Union(
  [transactionBytes, Type.String({ description: 'The same bytes in base64 or base58.' })],
  { $id: 'Transaction', description: 'A transaction: an array of bytes, or one text in base64 or base58.' },
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
        { $id: 'TransactionWithBlockhash', additionalProperties: false },
      ),
      status: enumeration([statusTexts.memo_transfer]),
      summary,
    },
    { $id: 'MemoTransferReply', additionalProperties: false },
  ),
  yid_transfer: Type.Object(
    { data: transactionSchema, status: enumeration([statusTexts.yid_transfer]), summary },
    { $id: 'YidTransferReply', additionalProperties: false },
  ),
  create_transfer: Type.Object(
    { data: transactionSchema, status: enumeration([statusTexts.create_transfer]), summary },
    { $id: 'CreateTransferReply', additionalProperties: false },
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
        { $id: 'TransferData', additionalProperties: false },
      ),
      status: enumeration([statusTexts.transfer]),
    },
    { $id: 'TransferReply', additionalProperties: false },
  ),
  batch: Type.Object(
    { data: batchDataSchema, status: enumeration([statusTexts.batch]) },
    { $id: 'BatchReply', additionalProperties: false },
  ),
} satisfies Record<TransferOperation, TObject>;

const code = enumeration<string>(Object.keys(problems), {
  $id: 'ProblemCode',
  description: 'The stable code of a problem, to switch on.',
});

/** The body of every refusal. */
export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'The page of the problem, relative to the service: `/problems/<code>`.' }),
    title: Type.String({ description: 'The same short sentence for every occurrence of the code.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({
      description: 'What happened in this request: the address or field, the numbers and the remedy.',
    }),
    code,
    request_id: Type.String({ description: 'The same as the `X-Request-Id` header; quote it to the operator.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Type.String({ description: 'JSON pointer (RFC 6901) to the field; "" is the whole body.' }),
            code,
            detail: Type.String({ description: 'What is wrong with the field, and the remedy.' }),
          },
          { $id: 'ProblemError', additionalProperties: false },
        ),
        {
          description:
            'Every error of the request, not only the first. At most 100 are listed; `detail` says how many are not.',
        },
      ),
    ),
    message: Type.Optional(
      Type.String({ description: 'Under `/pay`: what a wallet tells its user, in at most 80 characters.' }),
    ),
    logs: Type.Optional(
      Type.Array(Type.String(), { description: 'The logs of the programs in a simulation that failed.' }),
    ),
    landed: Type.Optional(
      Type.Object(
        {
          signature: Type.String({ description: 'The signature of the transaction, in base58.' }),
          slot: Type.String({ description: 'The slot in which it landed.', pattern: '^[0-9]+$' }),
          block_time: Type.Union([Type.Integer(), Type.Null()], {
            description: 'When it landed, in seconds since 1970; null where the node does not know it.',
          }),
        },
        {
          $id: 'LandedTransfer',
          description: 'Of `already_landed`: the transaction of this `Idempotency-Key`.',
          additionalProperties: false,
        },
      ),
    ),
    landed_transactions: Type.Optional(
      Type.Array(landedBatchTransactionSchema, {
        description: 'Of `already_landed`, for a batch: its transactions, all of which have landed.',
      }),
    ),
  },
  { $id: 'Problem', additionalProperties: false },
);

/** The body of a refusal. */
export type ProblemBody = Static<typeof problemSchema>;

/** The optional members of a refusal. */
interface ProblemDetails {
  /** Its `errors`. */
  findings?: readonly DescribedFinding[];
  logs?: readonly string[] | undefined;
  landed?: LandedTransfer | undefined;
  landedTransactions?: readonly LandedBatchTransaction[] | undefined;
  /** Its `message`, for the payer of a payment link. */
  message?: string | undefined;
}

/** Makes the body of a refusal from the table. Members without a value are left out. */
export function problemBody(
  code: ProblemCode,
  detail: string,
  requestId: string,
  { findings = [], logs, landed, landedTransactions, message }: ProblemDetails,
): ProblemBody {
  const { title, status } = problems[code];
  const body: ProblemBody = { type: `/problems/${code}`, title, status, detail, code, request_id: requestId };
  if (findings.length > 0) {
    body.errors = findings.map((finding) => ({ pointer: finding.pointer, code: finding.code, detail: finding.detail }));
  }
  if (message !== undefined) body.message = message;
  if (logs) body.logs = [...logs];
  if (landed) body.landed = landed;
  if (landedTransactions) {
    body.landed_transactions = landedTransactions.map(({ transfers, signature }) => ({
      transfers: [...transfers],
      signature,
    }));
  }
  return body;
}
