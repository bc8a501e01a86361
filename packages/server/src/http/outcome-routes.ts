import type { FastifyInstance } from 'fastify';
import type { Deadline } from '../chain/chain-reader.ts';
import { AppError } from '../errors.ts';
import type { OutcomeItem, Verdict } from '../service/outcome/verdict.ts';
import { readOutcomeBody } from '../wire/outcome/read-outcome-body.ts';
import { outcomeText } from '../wire/outcome/verdict-json.ts';
import { invalidRequest } from '../wire/refusal.ts';
import type { RequestsInFlight } from './load/in-flight.ts';
import { limitLargeBodies } from './load/large-bodies.ts';
import { registerRoutes } from './register-routes.ts';

/** Finds out what became of transfers. */
export interface OutcomeSource {
  /** Returns a verdict for each item, in their order. Throws an `AppError` when no node can be asked. */
  find(items: readonly OutcomeItem[], deadline: Deadline): Promise<readonly Verdict[]>;
}

/** What the route of outcomes uses. */
export interface OutcomeRouteOptions {
  outcomes: OutcomeSource;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
  /** How large a body of the other routes may be. */
  bodyLimitBytes: number;
}

// Together they take some 130 MB of memory at most, parsed. Batches count theirs apart, and may take as much again.
const maxLargeBodies = 32;

/** Registers the path that says what became of transfers. It reads what is public: a key with restrictions may use it. */
export function registerOutcomeRoutes(app: FastifyInstance, options: OutcomeRouteOptions): void {
  const { outcomes, inFlight, requestDeadlineMs, bodyLimitBytes } = options;
  app.register(async (scope) => {
    limitLargeBodies(scope, { aboveBytes: bodyLimitBytes, maxBodies: maxLargeBodies });
    registerRoutes(scope, {
      findOutcome: async (request, reply) => {
        if (request.body === undefined) {
          throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
        }
        const read = readOutcomeBody(request.body);
        if ('findings' in read) throw invalidRequest(read.findings, read.unlistedCount);
        const deadline = performance.now() + requestDeadlineMs;
        const verdicts = await inFlight.countBuild(() => outcomes.find(read.items, deadline));
        return reply.type('application/json').send(outcomeText(verdicts, read.isList));
      },
    });
  });
}
