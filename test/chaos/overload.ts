import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from './arena.ts';
import { type Pace, runFault } from './fault-run.ts';
import type { Sample } from './load.ts';
import { type Check, check, type Measured } from './measured.ts';
import { between, describeStatuses, failed, percentile } from './statistics.ts';

// What was taken last must be answered before the service is expected to take everything again.
const drainMs = 1000;

// In milliseconds: far longer than an event loop may be late, and then so short that the next look at it is as late again.
const stopped = 1500;
const running = 80;

/** The processor is taken away from the service most of the time: what comes meanwhile it cannot serve in time. */
export async function starveOfProcessor(arena: Arena, pace: Pace): Promise<Measured> {
  const { server } = arena;
  const run = await runFault(arena, pace, {
    inject: () => undefined,
    async last() {
      for (let passed = 0; passed < pace.fault; passed += stopped + running) {
        server.pause();
        await sleep(stopped);
        server.resume();
        await sleep(running);
      }
    },
    heal: () => undefined,
  });
  const late = between(run.after, run.healedAt + drainMs, run.endedAt);
  return {
    injected: `the process stopped for ${stopped} of every ${stopped + running} ms, at ${pace.rate} requests/s`,
    checks: [surplusRefused(run.during), takenServed(run.during), takenAgain(late)],
  };
}

function surplusRefused(samples: readonly Sample[]): Check {
  const refused = samples.filter(({ code }) => code === 'overloaded');
  return check(
    'the surplus refused: 503 `overloaded` with Retry-After',
    `${refused.length} of ${samples.length}`,
    refused.length > 0 && refused.every(({ retryAfter }) => /^[1-9][0-9]*$/.test(retryAfter ?? '')),
  );
}

function takenServed(samples: readonly Sample[]): Check {
  const taken = samples.filter(({ code }) => code !== 'overloaded');
  return check(
    'everything that was taken served',
    `${describeStatuses(taken)}, p50 ${percentile(taken, 0.5).toFixed(0)}, p99 ${percentile(taken, 0.99).toFixed(0)} ms`,
    taken.length > 0 && failed(taken).length === 0,
  );
}

// A machine that stalls for a moment may make a surplus of any load, here and there.
function takenAgain(samples: readonly Sample[]): Check {
  const refused = failed(samples);
  const isMet = refused.length * 10 < samples.length && refused.every(({ code }) => code === 'overloaded');
  return check('nine of ten or more taken again afterwards', describeStatuses(samples), isMet);
}
