import { type Static, Type } from 'typebox';
import {
  type BatchProgress,
  type DescribedFinding,
  type LandedTransfer,
  type ProblemCode,
  problems,
} from '../problems.ts';
import { messageHashSchema } from './message-hash.ts';
import { enumeration, sponsorFeeSchema } from './schema-parts.ts';

/** The media type of every refusal (RFC 9457). */
export const problemMediaType = 'application/problem+json';

// One object, because generated clients have no use for alternatives: Kotlin's would demand the members of both.
/** A blockhash, or a nonce. */
export const lifetimeSchema = Type.Object(
  {
    blockhash: Type.Optional(Type.String({ description: 'The blockhash in the transaction; absent with a nonce.' })),
    last_valid_block_height: Type.Optional(
      Type.String({
        description: 'The last block height at which the transaction can land; absent with a nonce.',
        pattern: '^[0-9]+$',
      }),
    ),
    nonce: Type.Optional(
      Type.String({ description: 'The nonce in the place of a blockhash; absent with a blockhash.' }),
    ),
    nonce_account: Type.Optional(
      Type.String({ description: 'The account that holds the nonce; absent with a blockhash.' }),
    ),
  },
  {
    component: 'Lifetime',
    description:
      'What bounds the validity of the transaction: `blockhash` and `last_valid_block_height`, or `nonce` and `nonce_account`.',
    additionalProperties: false,
  },
);

const transfers = Type.Array(Type.Integer(), {
  description: 'The transfers that it makes, by their indices in the request.',
});

/** Of the transactions of a batch, the members of a reply or a refusal that say which have landed. */
export const batchProgress = {
  landed_transactions: Type.Optional(
    Type.Array(
      Type.Object(
        { transfers, signature: Type.String({ description: 'The signature of the transaction, in base58.' }) },
        { component: 'LandedBatchTransaction', additionalProperties: false },
      ),
      {
        description:
          'Under an `Idempotency-Key`: the transactions of the batch that have landed. What they paid is never built again.',
      },
    ),
  ),
  pending_transactions: Type.Optional(
    Type.Array(
      Type.Object(
        {
          transaction: Type.Optional(
            Type.String({
              description:
                'Its bytes, as they were handed out before, in base64; send them as you signed them. Absent where they can no longer land as they are, or are on their way: sign nothing then.',
            }),
          ),
          message_hash: messageHashSchema,
          transfers,
          lifetime: lifetimeSchema,
          sponsor_fee: Type.Optional(sponsorFeeSchema),
        },
        { component: 'PendingBatchTransaction', additionalProperties: false },
      ),
      {
        description:
          'Under an `Idempotency-Key`: the transactions of the batch that were built before and may still land. What they pay is built again once they never can.',
      },
    ),
  ),
};

const code = enumeration<string>(Object.keys(problems), {
  component: 'ProblemCode',
  description: 'The stable code of a problem, to switch on.',
});

/** Every error of a request, or of a transfer of a batch. */
export const problemErrors = Type.Array(
  Type.Object(
    {
      pointer: Type.String({ description: 'JSON pointer (RFC 6901) to the field; "" is the whole body.' }),
      code,
      detail: Type.String({ description: 'What is wrong with the field, and the remedy.' }),
    },
    { component: 'ProblemError', additionalProperties: false },
  ),
  {
    description:
      'Every error, not only the first. Of a request at most 100 are listed; `detail` says how many are not.',
  },
);

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
    errors: Type.Optional(problemErrors),
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
          component: 'LandedTransfer',
          description: 'Of `already_landed`: the transaction of this `Idempotency-Key`.',
          additionalProperties: false,
        },
      ),
    ),
    ...batchProgress,
  },
  { component: 'Problem', additionalProperties: false },
);

/** The body of a refusal. */
export type ProblemBody = Static<typeof problemSchema>;

/** The optional members of a refusal. */
interface ProblemDetails {
  /** Its `errors`. */
  findings?: readonly DescribedFinding[];
  logs?: readonly string[] | undefined;
  landed?: LandedTransfer | undefined;
  progress?: BatchProgress | undefined;
  /** Its `message`, for the payer of a payment link. */
  message?: string | undefined;
}

/** Makes the body of a refusal from the table. Members without a value are left out. */
export function problemBody(
  code: ProblemCode,
  detail: string,
  requestId: string,
  { findings = [], logs, landed, progress, message }: ProblemDetails,
): ProblemBody {
  const { title, status } = problems[code];
  const body: ProblemBody = { type: `/problems/${code}`, title, status, detail, code, request_id: requestId };
  if (findings.length > 0) {
    body.errors = findings.map((finding) => ({ pointer: finding.pointer, code: finding.code, detail: finding.detail }));
  }
  if (message !== undefined) body.message = message;
  if (logs) body.logs = [...logs];
  if (landed) body.landed = landed;
  return { ...body, ...progress };
}
