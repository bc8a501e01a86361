import { type Static, Type } from 'typebox';
import {
  type DescribedFinding,
  type LandedBatchTransaction,
  type LandedTransfer,
  type ProblemCode,
  problems,
} from '../problems.ts';
import { enumeration } from './schema-parts.ts';

/** The media type of every refusal (RFC 9457). */
export const problemMediaType = 'application/problem+json';

/** A transaction of a batch that has landed. */
export const landedBatchTransactionSchema = Type.Object(
  {
    transfers: Type.Array(Type.Integer(), {
      description: 'The transfers that it made, by their indices in the request.',
    }),
    signature: Type.String({ description: 'The signature of the transaction, in base58.' }),
  },
  {
    component: 'LandedBatchTransaction',
    description:
      'A transaction of a batch that has landed: what it paid is never built again under its `Idempotency-Key`.',
    additionalProperties: false,
  },
);

const code = enumeration<string>(Object.keys(problems), {
  component: 'ProblemCode',
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
          { component: 'ProblemError', additionalProperties: false },
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
          component: 'LandedTransfer',
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
