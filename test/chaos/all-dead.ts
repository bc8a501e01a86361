import type { Arena } from './arena.ts';
import { type FaultRun, type Pace, runFault } from './fault-run.ts';
import { type Check, check, liveBlockhashes, type Measured, onlyStatuses } from './measured.ts';
import type { WayToFail } from './one-of-two.ts';
import { failed, percentile } from './statistics.ts';

/** What the service must do when no node answers. */
export interface DeadlineRule {
  /** What the service is configured with, in milliseconds. */
  deadline: number;
  /** What a busy machine may add to it. */
  margin: number;
}

const recoveryMs = 2000;

/** Both nodes fail, and the preferred one recovers: the truth at once, and service again within 2 s. */
export async function failBoth(arena: Arena, pace: Pace, way: WayToFail, rule: DeadlineRule): Promise<Measured> {
  const { preferred, other } = arena;
  const run = await runFault(arena, pace, {
    inject: () => Promise.all([way.begin(preferred), way.begin(other)]).then(() => undefined),
    heal: () => way.end(preferred),
  });
  await way.end(other);
  const refused = failed(run.during);
  return {
    injected: `both nodes ${way.words}, then the preferred one heals`,
    checks: [
      // What was on its way when the fault began may still be answered.
      onlyStatuses(run.during, [200, 503, 504]),
      check('requests are refused', refused.length, refused.length > 0),
      withinDeadline(run, rule),
      check(
        'every 503 with Retry-After',
        `${refused.filter(({ status }) => status === 503).length} with status 503`,
        refused.every(({ status, retryAfter }) => status !== 503 || /^[1-9][0-9]*$/.test(retryAfter ?? '')),
      ),
      recovery(run, rule.margin),
      liveBlockhashes(run.truth),
    ],
  };
}

/** Every request of a run was answered within its deadline. */
export function withinDeadline({ all }: FaultRun, { deadline, margin }: DeadlineRule): Check {
  const slowest = percentile(all, 1);
  const required = `every answer within the deadline of ${deadline} ms`;
  return check(required, `slowest ${slowest.toFixed(0)} ms`, slowest <= deadline + margin);
}

function recovery({ after, healedAt }: FaultRun, margin: number): Check {
  const last = failed(after).reduce((latest, { dueAt }) => Math.max(latest, dueAt), healedAt);
  const measured = last - healedAt;
  return check(
    `recovery within ${recoveryMs} ms of the first heal`,
    `the last request that failed was due ${measured.toFixed(0)} ms after it`,
    measured <= recoveryMs + margin,
  );
}
