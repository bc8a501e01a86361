import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import { invalidRequest, shapeOf } from '../app/validate.ts';
import type { Work } from '../app/work.ts';
import { startWork } from '../app/work-of.ts';
import { countItems } from '../keys/rate-limit.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { outcomeBody, outcomeReplySchema } from './outcome-schema.ts';
import { readOutcomeBody } from './read-outcome-body.ts';
import type { OutcomeItem, Verdict } from './verdict.ts';
import { outcomeExamples, outcomeText } from './verdict-json.ts';

/** Finds out what became of transfers. */
export interface OutcomeSource {
  /** Returns a verdict for each item, in their order. Throws an `AppError` when no node can be asked, or the work is not wanted. */
  find(items: readonly OutcomeItem[], work: Work): Promise<readonly Verdict[]>;
}

export interface OutcomeRouteOptions {
  outcomes: OutcomeSource;
  inFlight: RequestsInFlight;
  limiter: RateLimiter;
  requestDeadlineMs: number;
}

/** Registers the path that says what became of transfers. It reads what is public: a key with restrictions may use it. */
export function registerOutcomeRoutes(app: FastifyInstance, options: OutcomeRouteOptions): void {
  const { outcomes, inFlight, limiter, requestDeadlineMs } = options;
  app.withTypeProvider<TypeBoxTypeProvider>().post(outcomePath, outcomeRoute, async (request, reply) => {
    const body = bodyOf(request);
    const work = startWork(request, requestDeadlineMs);
    const read = await work.run(readOutcomeBody(shapeOf(request)));
    if ('findings' in read) throw invalidRequest(read.findings, body);
    await countItems(limiter, apiKeyOf(request), reply, read.items.length);
    const verdicts = await inFlight.countBuild(() => outcomes.find(read.items, work));
    return reply.type('application/json').send(outcomeText(verdicts, read.isList));
  });
}

/** The path that says what became of transfers. */
export const outcomePath = '/v1/transfers/outcome';

/** How large a body may be: 100 transactions of 4,096 bytes as arrays of integers, with space between them. */
export const outcomeBodyLimitBytes = 2_097_152;

const outcomeRoute = {
  attachValidation: true,
  bodyLimit: outcomeBodyLimitBytes,
  // Nothing is built.
  config: { usage: 'answered' as const, place: 'large' as const },
  schema: {
    operationId: 'findOutcome',
    summary: 'Find the outcome',
    description:
      'Takes a transaction as it was built or as it was signed, and says what became of it on chain. It is found by what it pays, ' +
      'also where a wallet has replaced its blockhash or fee payer, or has added instructions. Nothing is stored, built or ' +
      'submitted. Only `expired`, and `failed` with `is_final`, make it safe to build the payment again.',
    tags: ['Transfers'],
    body: outcomeBody,
    response: {
      200: replyOf('What became of each transaction, or `unknown`.', outcomeReplySchema, {
        headers: keyedHeaders,
        examples: outcomeExamples,
      }),
      ...refusalsOf(['keyed', 'outcome']),
    },
  },
};
