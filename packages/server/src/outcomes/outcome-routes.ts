import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../app/json-body.ts';
import { limitLargeBodies } from '../app/large-bodies.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import { countItems } from '../app/rate-limit.ts';
import { invalidRequest } from '../app/refusal.ts';
import type { Work } from '../app/work.ts';
import { workOf } from '../app/work-of.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { registerRoutes } from '../serve/register-routes.ts';
import { readOutcomeBody } from './read-outcome-body.ts';
import type { OutcomeItem, Verdict } from './verdict.ts';
import { outcomeText } from './verdict-json.ts';

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
