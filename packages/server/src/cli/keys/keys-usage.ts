import type { ApiKeyRecord, KeyUsage } from '../../keys/key-store.ts';
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
  /** Retries under an `Idempotency-Key` that got the reply built before. */
  replays: number;
  /** Questions what became of a transfer. */
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
      replays: 0,
      answers: 0,
      refusals: {},
    };
    days.set(row, use);
    use.requests += requests;
    const column = answerColumns[outcome];
    if (column) use[column] += requests;
    else use.refusals[outcome] = requests;
  }
  return [...days.values()];
}

/** How requests that were not refused are shown, by their outcome in the store. */
const answerColumns: Readonly<Record<string, 'builds' | 'replays' | 'answers'>> = {
  built: 'builds',
  replayed: 'replays',
  answered: 'answers',
};

/** Returns a table of usage with a heading, a line for each key and day. */
export function formatUsage(use: readonly DayOfUse[]): string {
  return formatTable([
    ['DAY', 'ID', 'NAME', 'REQUESTS', 'BUILDS', 'REPLAYS', 'ANSWERS', 'REFUSALS'],
    ...use.map(({ day, id, name, requests, builds, replays, answers, refusals }) => [
      day,
      id,
      name,
      String(requests),
      String(builds),
      String(replays),
      String(answers),
      Object.entries(refusals)
        .map(([code, count]) => `${code} ${count}`)
        .join(', '),
    ]),
  ]);
}
