import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, type ArenaLoad, startArenaLoad, type Truth } from './arena.ts';
import type { Sample } from './load.ts';
import { between } from './statistics.ts';

/** How long the parts of a scenario take, in milliseconds, and how many requests a second there are throughout. */
export interface Pace {
  /** Load whose figures are not looked at: a process is slow when it is young. */
  warmUp: number;
  calm: number;
  fault: number;
  after: number;
  rate: number;
}

/** Long enough to see every requirement that does not depend on milliseconds. */
export const quickPace: Pace = { warmUp: 200, calm: 500, fault: 1500, after: 400, rate: 60 };

/** Faults of 10 s. */
export const longPace: Pace = { warmUp: 3000, calm: 10_000, fault: 10_000, after: 5000, rate: 100 };

/** A fault, from its beginning to its end. */
export interface FaultScript {
  /** Begins it. The load may be sent elsewhere for it. */
  inject(load: ArenaLoad): void | Promise<void>;
  /** What happens while it lasts; its end is the fault's. By default nothing, for as long as the pace says. */
  last?(): Promise<void>;
  heal(): void | Promise<void>;
}

/** What became of the requests. */
export interface FaultRun {
  /** Those that had their answer when the fault began. */
  calm: readonly Sample[];
  /** Those that were waiting then, and those that were due while it lasted. */
  during: readonly Sample[];
  /** Those that were due once it was healed. */
  after: readonly Sample[];
  /** All but those of the warm-up. */
  all: readonly Sample[];
  truth: Truth;
  /** Moments of `performance.now()`. */
  calmFrom: number;
  injectedAt: number;
  healedAt: number;
  endedAt: number;
}

/** Loads the service steadily, injects a fault in the middle of it, heals it, and sorts what became of the requests. */
export async function runFault(arena: Arena, pace: Pace, script: FaultScript): Promise<FaultRun> {
  const load = startArenaLoad(arena, pace.rate);
  await sleep(pace.warmUp);
  const calmFrom = performance.now();
  await sleep(pace.calm);
  const injectedAt = performance.now();
  await script.inject(load);
  await (script.last?.() ?? sleep(pace.fault));
  const healedAt = performance.now();
  await script.heal();
  await sleep(pace.after);
  const endedAt = performance.now();
  const all = between(await load.stop(), calmFrom, endedAt);
  const hadAnswer = ({ dueAt, latency }: Sample): boolean => dueAt + latency < injectedAt;
  return {
    calm: all.filter(hadAnswer),
    during: between(all, calmFrom, healedAt).filter((sample) => !hadAnswer(sample)),
    after: between(all, healedAt, endedAt),
    all,
    truth: load.truth,
    calmFrom,
    injectedAt,
    healedAt,
    endedAt,
  };
}
