import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const maxWaitMs = 600_000;
const sampleMs = 5_000;
const maxLoad = 0.5;
const leastIdleShare = 0.95;

/** What else the machine was doing. */
export interface Quiet {
  isQuiet: boolean;
  /** Tasks that ran or waited to run, over the last minute. */
  load: number;
  /** The part of all processors' time that was idle, over five seconds. */
  idleShare: number;
}

/** Waits until the machine does nothing else, for ten minutes at most, and returns what it did at last. */
export async function waitForQuiet(): Promise<Quiet> {
  const endsAt = performance.now() + maxWaitMs;
  for (;;) {
    const before = processorTimes();
    await delay(sampleMs);
    const after = processorTimes();
    const idleShare = (after.idle - before.idle) / (after.total - before.total);
    const load = loadavg()[0] ?? Number.POSITIVE_INFINITY;
    const isQuiet = load <= maxLoad && idleShare >= leastIdleShare;
    if (isQuiet || performance.now() > endsAt) return { isQuiet, load, idleShare };
    console.log(`Waiting for a quiet machine: ${describe({ load, idleShare })}.`);
  }
}

/** The first line of a report. */
export function describeQuiet(quiet: Quiet): string {
  return quiet.isQuiet
    ? `Idle machine before the first run: ${describe(quiet)}.`
    : `**The machine was busy**, so do not trust these figures: before the first run ${describe(quiet)}.`;
}

function describe({ load, idleShare }: Omit<Quiet, 'isQuiet'>): string {
  return `load average ${load.toFixed(2)}, ${Math.round(idleShare * 100)} % idle`;
}

function processorTimes(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}
