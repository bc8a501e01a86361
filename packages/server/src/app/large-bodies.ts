import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../problems.ts';
import type { Work } from './work.ts';
import { workOf } from './work-of.ts';

// Of one scope. Together they take some 130 MB of memory at most, parsed.
const maxBodies = 32;

interface LargeBody {
  work: Work;
  reply: FastifyReply;
  /** Whether it still arrives: no handler has begun. */
  isArriving: boolean;
}

// One error for all refusals: an overloaded service has no time to make one for each.
const tooMany = new AppError(
  'overloaded',
  'The service is working on as many large bodies as it accepts at a time. Try again, or send fewer transactions at once.',
  { retryAfterSeconds: 1 },
);

/**
 * Lets a scope work on 32 large bodies at a time, and refuses others with a 503 before they are read. Large are bodies above
 * `aboveBytes`, and those without a Content-Length.
 *
 * While all places are taken, a key takes one from the key with the most if it has at least two fewer. The displaced body is refused with
 * the same 503: the oldest that is still arriving, otherwise the newest. So no key can lock out another. Call it after the hooks that
 * check the key.
 */
export function limitLargeBodies(scope: FastifyInstance, aboveBytes: number): void {
  // The oldest first.
  const bodies = new Set<LargeBody>();
  scope.addHook('onRequest', (request, reply, done) => {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) <= aboveBytes) {
      done();
      return;
    }
    const body: LargeBody = { work: workOf(request), reply, isArriving: true };
    if (bodies.size >= maxBodies) {
      const displaced = bodyToDisplace(bodies, body.work.owner);
      if (!displaced) {
        done(tooMany);
        return;
      }
      bodies.delete(displaced);
      refuse(displaced);
    }
    bodies.add(body);
    // Emitted after the last byte of the reply was handed over, or when the caller hung up.
    reply.raw.on('close', () => bodies.delete(body));
    done();
  });
  scope.addHook('preValidation', (request, _reply, done) => {
    for (const body of bodies) if (body.work === request.work) body.isArriving = false;
    done();
  });
}

function bodyToDisplace(bodies: ReadonlySet<LargeBody>, owner: string): LargeBody | undefined {
  const byOwner = Map.groupBy(bodies, ({ work }) => work.owner);
  const [most] = [...byOwner.values()].toSorted((one, other) => other.length - one.length);
  if (!most || most.length < (byOwner.get(owner)?.length ?? 0) + 2) return undefined;
  return most.find(({ isArriving }) => isArriving) ?? most.at(-1);
}

function refuse({ isArriving, work, reply }: LargeBody): void {
  if (isArriving) void reply.header('connection', 'close').send(tooMany);
  // Its handler ends at the next step, and refuses the request.
  else work.stop(tooMany);
}
