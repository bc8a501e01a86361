import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, startArenaLoad } from './arena.ts';
import { measureCapacity } from './capacity.ts';
import { check, liveBlockhashes, type Measured, noneFailed, unboundedLatency } from './measured.ts';

/** What the process held at a moment. */
export interface Holding {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly residentMebibytes: number;
  readonly handles: number;
}

/** A soak's figures, and what it held over time. */
export interface SoakMeasured extends Measured {
  readonly holdings: readonly Holding[];
}

/** How long a soak takes. */
export interface SoakPlan {
  /** In milliseconds, measured before the soak. */
  readonly capacity: number;
  readonly soak: number;
  /** Between two looks at the process, in milliseconds. */
  readonly every: number;
}

const mebibyte = 1024 * 1024;

// What an allocator may hold on to between two looks at a process that does not grow.
const allowedGrowth = 1.1;

// Sockets come and go with the load, of which there are few here; what leaks grows by the thousand in minutes.
const loadSockets = 32;
const allowedHandles = 16;

/** Loads the service at half of what it can do, and watches its memory and its handles. */
export async function soak(arena: Arena, plan: SoakPlan): Promise<SoakMeasured> {
  const capacity = await measureCapacity(arena, plan.capacity);
  const rate = Math.max(1, Math.floor(capacity / 2));
  const load = startArenaLoad(arena, rate, loadSockets);
  const holdings: Holding[] = [];
  const startedAt = performance.now();
  for (let looks = 1; looks * plan.every <= plan.soak; looks += 1) {
    await sleep(startedAt + looks * plan.every - performance.now());
    holdings.push({
      at: Math.round((performance.now() - startedAt) / 1000),
      residentMebibytes: Math.round(arena.server.residentBytes() / mebibyte),
      handles: arena.server.openHandles(),
    });
  }
  const samples = await load.stop();
  const fifth = Math.floor(holdings.length / 5);
  const early = holdings.slice(fifth, 2 * fifth);
  const late = holdings.slice(-fifth);
  const [memoryBefore, memoryAfter] = [early, late].map((each) => median(each.map((held) => held.residentMebibytes)));
  const [handlesBefore, handlesAfter] = [early, late].map((each) => median(each.map(({ handles }) => handles)));
  return {
    injected: `nothing, for ${(plan.soak / 1000).toFixed(0)} s at ${rate} requests/s, half of the ${capacity.toFixed(0)} that were measured`,
    checks: [
      noneFailed(samples),
      check(
        `resident memory in the last fifth at most ${allowedGrowth} × that in the second`,
        `${memoryBefore} MiB, then ${memoryAfter} MiB`,
        (memoryAfter ?? Number.NaN) <= (memoryBefore ?? Number.NaN) * allowedGrowth,
      ),
      check(
        `open handles in the last fifth at most ${allowedHandles} more than in the second`,
        `${handlesBefore}, then ${handlesAfter}`,
        (handlesAfter ?? Number.NaN) <= (handlesBefore ?? Number.NaN) + allowedHandles,
      ),
      liveBlockhashes(load.truth),
      unboundedLatency(samples),
    ],
    holdings,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
