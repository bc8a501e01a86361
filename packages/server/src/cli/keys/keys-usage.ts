import type { ApiKeyRecord, KeyUsage } from '../../keys/store/key-store.ts';
import { formatTable } from '../table.ts';

/** The usage of one key on one day, as `--json` prints it. */
interface DayOfUse {
  /** In UTC, as `2026-11-21`. */
  day: string;
  id: string;
  /** Empty for a key that is no longer stored. */
  name: string;
  requests: number;
  builds: number;
  /** Requests that were answered and built nothing: those for outcomes. */
  answers: number;
  /** Requests by the code that refused them. */
  refusals: Record<string, number>;
}

const dayMs = 86_400_000;

/** Returns the first of `days` days of which today is the last, in UTC. */
export function firstDayOf(days: number, now: Date): string {
  return new Date(now.getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);
}

/** Returns the usage of some keys by day and key, the newest day last. */
export function summarizeUsage(usage: readonly KeyUsage[], keys: readonly ApiKeyRecord[]): readonly DayOfUse[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const days = new Map<string, DayOfUse>();
  for (const { keyId, day, outcome, requests } of usage) {
    const row = `${day} ${keyId}`;
    const use = days.get(row) ?? {
      day,
      id: keyId,
      name: names.get(keyId) ?? '',
      requests: 0,
      builds: 0,
      answers: 0,
      refusals: {},
    };
    days.set(row, use);
    use.requests += requests;
    if (outcome === 'built') use.builds += requests;
    else if (outcome === 'answered') use.answers += requests;
    else use.refusals[outcome] = requests;
  }
  return [...days.values()];
}

/** Returns a table of usage with a heading, a line for each key and day. */
export function formatUsage(use: readonly DayOfUse[]): string {
  return formatTable([
    ['DAY', 'ID', 'NAME', 'REQUESTS', 'BUILDS', 'ANSWERS', 'REFUSALS'],
    ...use.map(({ day, id, name, requests, builds, answers, refusals }) => [
      day,
      id,
      name,
      String(requests),
      String(builds),
      String(answers),
      Object.entries(refusals)
        .map(([code, count]) => `${code} ${count}`)
        .join(', '),
    ]),
  ]);
}
