import type { FastifyInstance } from 'fastify';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { OutcomeItem, Verdict } from '../../outcomes/verdict.ts';
import { readOutcomeBody } from '../../wire/outcome/read-outcome-body.ts';
import { outcomeText } from '../../wire/outcome/verdict-json.ts';
import { invalidRequest } from '../../wire/refusal.ts';
import type { Work } from '../../work/work.ts';
import { bodyOf } from '../json-body.ts';
import { limitLargeBodies } from '../load/large-bodies.ts';
import type { RequestsInFlight } from '../load/overload.ts';
import { workOf } from '../load/work-of.ts';
import { countItems } from '../rate-limit.ts';
import { registerRoutes } from '../register-routes.ts';
import { apiKeyOf } from '../require-api-key.ts';

/** Finds out what became of transfers. */
export interface OutcomeSource {
  /** Returns a verdict for each item, in their order. Throws an `AppError` when no node can be asked, or the work is not wanted. */
  find(items: readonly OutcomeItem[], work: Work): Promise<readonly Verdict[]>;
}

/** What the route of outcomes uses. */
export interface OutcomeRouteOptions {
  outcomes: OutcomeSource;
  inFlight: RequestsInFlight;
  limiter: RateLimiter;
  requestDeadlineMs: number;
  /** How large a body of the other routes may be. */
  bodyLimitBytes: number;
}

/** Registers the path that says what became of transfers. It reads what is public: a key with restrictions may use it. */
export function registerOutcomeRoutes(app: FastifyInstance, options: OutcomeRouteOptions): void {
  const { outcomes, inFlight, limiter, requestDeadlineMs, bodyLimitBytes } = options;
  app.register(async (scope) => {
    limitLargeBodies(scope, bodyLimitBytes);
    registerRoutes(scope, {
      findOutcome: async (request, reply) => {
        const body = bodyOf(request);
        const work = workOf(request);
        work.deadline = performance.now() + requestDeadlineMs;
        const read = await readOutcomeBody(body, () => work.next());
        if ('findings' in read) throw invalidRequest(read.findings, read.unlistedCount, body);
        await countItems(limiter, apiKeyOf(request), reply, read.items.length);
        const verdicts = await inFlight.countBuild(() => outcomes.find(read.items, work));
        return reply.type('application/json').send(outcomeText(verdicts, read.isList));
      },
    });
  });
}
