import { setTimeout as sleep } from 'node:timers/promises';
import { healthy } from '../setup/fault-proxy.ts';
import { delay } from '../setup/faults.ts';
import { type DeadlineRule, withinDeadline } from './all-dead.ts';
import { type Arena, startArenaLoad } from './arena.ts';
import { measureCapacity } from './capacity.ts';
import { type Pace, runFault } from './fault-run.ts';
import type { Sample } from './load.ts';
import { type Check, check, type Measured } from './measured.ts';
import { between, describeStatuses, failed, percentile } from './statistics.ts';

/** In milliseconds, far below what a request that is taken takes here: the surplus waits for nothing. */
const atOnceMilliseconds = 200;

// What was taken last must be answered before the service is expected to take everything again.
const drainMilliseconds = 1000;

/** Both nodes get slower, and more requests come than the service may have in flight (`MAX_REQUESTS_IN_FLIGHT`). */
export async function overloadInFlight(
  arena: Arena,
  pace: Pace,
  slowMilliseconds: number,
  rule: DeadlineRule,
): Promise<Measured> {
  const { preferred, other } = arena;
  const run = await runFault(arena, pace, {
    inject() {
      preferred.fault = delay(slowMilliseconds);
      other.fault = delay(slowMilliseconds);
    },
    heal() {
      preferred.fault = healthy;
      other.fault = healthy;
    },
  });
  const late = between(run.after, run.healedAt + slowMilliseconds + drainMilliseconds, run.endedAt);
  return {
    injected: `${pace.rate} requests/s while both nodes take ${slowMilliseconds} ms longer, for ${pace.fault / 1000} s`,
    checks: [...surplusRefused(run.during), withinDeadline(run, rule), takenAgain(late)],
  };
}

/** More requests come than the processor can serve, several times as many. */
export async function overloadProcessor(arena: Arena, milliseconds: number, times: number): Promise<Measured> {
  const capacity = await measureCapacity(arena, milliseconds);
  const rate = Math.round(capacity * times);
  const load = startArenaLoad(arena, rate, 2000);
  await sleep(milliseconds);
  const samples = await load.stop();
  const calm = startArenaLoad(arena, Math.round(capacity / 4));
  await sleep(2 * drainMilliseconds);
  const endedAt = performance.now();
  const afterwards = await calm.stop();
  return {
    injected: `${rate} requests/s for ${milliseconds / 1000} s, where ${capacity.toFixed(0)} were measured to be the most`,
    checks: [...surplusRefused(samples), takenAgain(between(afterwards, endedAt - drainMilliseconds, endedAt))],
  };
}

function surplusRefused(samples: readonly Sample[]): readonly Check[] {
  const refused = samples.filter(({ code }) => code === 'overloaded');
  const taken = samples.filter(({ code }) => code !== 'overloaded');
  const median = percentile(refused, 0.5);
  return [
    check(
      'the surplus refused: 503 `overloaded` with Retry-After',
      `${refused.length} of ${samples.length}`,
      refused.length > 0 && refused.every(({ retryAfter }) => /^[1-9][0-9]*$/.test(retryAfter ?? '')),
    ),
    check(
      `at once: half of them within ${atOnceMilliseconds} ms`,
      `p50 ${median.toFixed(0)}, p99 ${percentile(refused, 0.99).toFixed(0)} ms`,
      median <= atOnceMilliseconds,
    ),
    check(
      'everything that was taken served',
      `${describeStatuses(taken)}, p50 ${percentile(taken, 0.5).toFixed(0)}, p99 ${percentile(taken, 0.99).toFixed(0)} ms`,
      taken.length > 0 && failed(taken).length === 0,
    ),
  ];
}

// A machine that stalls for a moment may make a surplus of any load, here and there.
function takenAgain(samples: readonly Sample[]): Check {
  const refused = failed(samples);
  const isMet = refused.length * 10 < samples.length && refused.every(({ code }) => code === 'overloaded');
  return check('nine of ten or more taken again afterwards', describeStatuses(samples), isMet);
}
