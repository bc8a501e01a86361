import type { Truth } from './arena.ts';
import type { Sample } from './load.ts';
import { describeStatuses, failed, percentile } from './statistics.ts';

/** One requirement, and what came of it. */
export interface Check {
  required: string;
  measured: string;
  isMet: boolean;
  /** Whether it is about milliseconds, which a busy machine can spoil: shown, but asserted in the long run alone. */
  isTiming: boolean;
}

/** What a scenario did to the service, and what came of it. */
export interface Measured {
  injected: string;
  checks: readonly Check[];
}

/** A requirement that holds on any machine. */
export function check(required: string, measured: string | number, isMet: boolean): Check {
  return { required, measured: String(measured), isMet, isTiming: false };
}

/** A requirement about milliseconds. */
function timing(required: string, measured: string | number, isMet: boolean): Check {
  return { ...check(required, measured, isMet), isTiming: true };
}

/** Every request was answered with a transaction. */
export function noneFailed(samples: readonly Sample[]): Check {
  const count = failed(samples).length;
  const measured = count === 0 ? `0 of ${samples.length}` : describeStatuses(samples);
  return check('0 failed requests', measured, count === 0 && samples.length > 0);
}

// A second node is asked when the first has not answered after this time, in milliseconds.
const hedgeDelay = 250;

/** The slowest percent is no slower than twice that of calm and one hedge delay. */
export function boundedPercentile(calm: readonly Sample[], during: readonly Sample[]): Check {
  const calm99 = percentile(calm, 0.99);
  const bound = 2 * calm99 + hedgeDelay;
  const measured = percentile(during, 0.99);
  return timing(
    'p99 within 2 × calm and one hedge delay',
    `p99 ${measured.toFixed(0)} of ${bound.toFixed(0)} ms`,
    measured <= bound,
  );
}

/** The name of latencies of which nothing is required. */
export const unbounded = 'latency, without a bound';

/** How long the answers took, where nothing is required of it. */
export function unboundedLatency(samples: readonly Sample[]): Check {
  return timing(unbounded, describeLatencies(samples), true);
}

/** Every blockhash handed out was alive, and none died before an earlier one. */
export function liveBlockhashes(truth: Truth): Check {
  const { deadBlockhashes, backwards, maxAgeSlots } = truth;
  const isMet = deadBlockhashes === 0 && backwards === 0;
  const faults = isMet ? '' : `${deadBlockhashes} dead, ${backwards} backwards, `;
  return check('every blockhash alive, none going backwards', `${faults}at most ${maxAgeSlots} slots old`, isMet);
}

/** Every request was answered with one of these statuses. */
export function onlyStatuses(samples: readonly Sample[], statuses: readonly number[]): Check {
  const isMet = samples.every(({ status }) => statuses.includes(status));
  return check(`only ${statuses.join(', ')}`, describeStatuses(samples), isMet);
}

/** Median, 99th percentile and maximum, as a text. */
function describeLatencies(samples: readonly Sample[]): string {
  const [p50, p99, maximum] = [0.5, 0.99, 1].map((share) => percentile(samples, share).toFixed(0));
  return `p50 ${p50}, p99 ${p99}, max ${maximum} ms`;
}

/** A measurement in lines, for people who watch the suite run. */
export function describeMeasured({ injected, checks }: Measured): string {
  const lines = checks.map(
    ({ required, measured, isMet }) => `  ${isMet ? 'met   ' : 'NOT MET'} ${required}\n          ${measured}`,
  );
  return [injected, ...lines].join('\n');
}
