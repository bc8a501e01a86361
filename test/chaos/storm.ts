import { healthy } from '../setup/fault-proxy.ts';
import { tooManyRequests } from '../setup/faults.ts';
import type { Arena } from './arena.ts';
import { type Pace, runFault } from './fault-run.ts';
import { boundedPercentile, check, liveBlockhashes, type Measured, noneFailed } from './measured.ts';

const minFall = 10;

/** The preferred node answers 429 to everything: traffic moves away, and it is left in peace. */
export async function storm(arena: Arena, pace: Pace, retryAfter: string | undefined): Promise<Measured> {
  const { preferred } = arena;
  const run = await runFault(arena, pace, {
    inject() {
      preferred.fault = tooManyRequests(retryAfter);
    },
    heal() {
      preferred.fault = healthy;
    },
  });
  const perSecond = (from: number, to: number): number => (preferred.requestsBetween(from, to) * 1000) / (to - from);
  const calmRate = perSecond(run.calmFrom, run.injectedAt);
  const stormRate = perSecond(run.injectedAt, run.healedAt);
  const fall = calmRate / Math.max(stormRate, 1e-9);
  return {
    injected: `429 from the preferred node, ${
      retryAfter === undefined ? 'without Retry-After' : `Retry-After: ${retryAfter}`
    }`,
    checks: [
      noneFailed(run.all),
      check(
        `its request rate falls by ${minFall} × or more`,
        `from ${calmRate.toFixed(1)} to ${stormRate.toFixed(1)} requests/s (${stormRate === 0 ? 'to nothing' : `${fall.toFixed(0)} ×`})`,
        fall >= minFall,
      ),
      boundedPercentile(run.calm, run.during),
      liveBlockhashes(run.truth),
    ],
  };
}
