import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, startArenaLoad } from './arena.ts';
import { measureCapacity } from './capacity.ts';
import { check, liveBlockhashes, type Measured, noneFailed, unboundedLatency } from './measured.ts';

/** What the process held at a moment. */
interface Holding {
  residentMebibytes: number;
  /** The memory of the process's objects, garbage included. */
  heapMebibytes: number;
  handles: number;
}

/** How long a soak takes. */
export interface SoakPlan {
  /** In milliseconds, measured before the soak. */
  capacity: number;
  soak: number;
  /** Between two looks at the process, in milliseconds. */
  every: number;
}

const mebibyte = 1024 * 1024;

// What comes and goes between two looks at a process that does not grow.
const allowedGrowth = 1.2;

// Sockets come and go with the load, of which there are few here; what leaks grows by the thousand in minutes.
const loadSockets = 32;
const allowedHandles = 16;

/** Loads the service at half of what it can do, and watches its memory and its handles. */
export async function soak(arena: Arena, plan: SoakPlan): Promise<Measured> {
  const capacity = await measureCapacity(arena, plan.capacity);
  const rate = Math.max(1, Math.floor(capacity / 2));
  const load = startArenaLoad(arena, rate, loadSockets);
  const holdings: Holding[] = [];
  const startedAt = performance.now();
  for (let looks = 1; looks * plan.every <= plan.soak; looks += 1) {
    await sleep(startedAt + looks * plan.every - performance.now());
    holdings.push({
      residentMebibytes: Math.round(arena.server.residentBytes() / mebibyte),
      heapMebibytes: Math.round((await arena.server.usedHeapBytes()) / mebibyte),
      handles: arena.server.openHandles(),
    });
  }
  const samples = await load.stop();
  const [, second, third, , fifth] = [0, 1, 2, 3, 4].map((nth) =>
    typical(holdings.slice((holdings.length * nth) / 5, (holdings.length * (nth + 1)) / 5)),
  );
  if (!second || !third || !fifth) throw new Error('five fifths make a whole');
  return {
    injected: `nothing, for ${(plan.soak / 1000).toFixed(0)} s at ${rate} requests/s, half of the ${capacity.toFixed(0)} that were measured`,
    checks: [
      noneFailed(samples),
      check(
        `heap at its lowest in the last fifth at most ${allowedGrowth} × that in the second`,
        `${second.heapMebibytes} MiB, then ${fifth.heapMebibytes} MiB`,
        fifth.heapMebibytes <= second.heapMebibytes * allowedGrowth,
      ),
      // The runtime enlarges the room for young objects once or twice in the first minutes.
      check(
        `resident memory in the last fifth at most ${allowedGrowth} × that in the third`,
        `${third.residentMebibytes} MiB, then ${fifth.residentMebibytes} MiB`,
        fifth.residentMebibytes <= third.residentMebibytes * allowedGrowth,
      ),
      check(
        `open handles in the last fifth at most ${allowedHandles} more than in the second`,
        `${second.handles}, then ${fifth.handles}`,
        fifth.handles <= second.handles + allowedHandles,
      ),
      liveBlockhashes(load.truth),
      unboundedLatency(samples),
    ],
  };
}

// Of the heap the least: the rest waits to be collected.
function typical(holdings: readonly Holding[]): Holding {
  return {
    residentMebibytes: median(holdings.map(({ residentMebibytes }) => residentMebibytes)),
    heapMebibytes: Math.min(...holdings.map(({ heapMebibytes }) => heapMebibytes)),
    handles: median(holdings.map(({ handles }) => handles)),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
