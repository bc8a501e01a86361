import type { Sample } from './load.ts';

/** The samples whose requests were due between two moments of `performance.now()`. */
export function between(samples: readonly Sample[], from: number, to: number): readonly Sample[] {
  return samples.filter(({ dueAt }) => dueAt >= from && dueAt < to);
}

/** The samples that are no success. */
export function failed(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter(({ status }) => status !== 200);
}

/** The latency in milliseconds that this share of the samples does not exceed (nearest rank); 0 without samples. */
export function percentile(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ latency }) => latency).sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** How often each status and code came, as a text: `200 ×950, 503 upstream_unavailable ×3`. */
export function describeStatuses(samples: readonly Sample[]): string {
  const counts = new Map<string, number>();
  for (const { status, code } of samples) {
    const name = status === 200 ? '200' : `${status || 'none'} ${code}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} ×${count}`).join(', ') || 'nothing';
}
