import type { CompiledQuery, LogEvent } from 'kysely';

/** A statement that has ended, without any of its values. */
export interface QueryReport {
  database: 'postgresql' | 'sqlite';
  /** The first word of the statement, such as `SELECT`. */
  operation: string;
  /** The first table that it names. */
  table: string | undefined;
  durationMs: number;
  isFailed: boolean;
}

/** Called for each statement that has ended, in the asynchronous context of the code that ran it. */
export type QueryObserver = (report: QueryReport) => void;

/** Returns the log that Kysely reports statements to, for its options; without an observer it measures nothing. */
export function queryLog(
  database: QueryReport['database'],
  observe: QueryObserver | undefined,
): { log?: (event: LogEvent) => void } {
  if (!observe) return {};
  return {
    log: ({ level, query, queryDurationMillis: durationMs }) =>
      observe({ database, ...describe(query), durationMs, isFailed: level === 'error' }),
  };
}

/** Returns a function that runs statements together as `run` does, and reports each of them with the time of all. */
export function observed<Result>(
  database: QueryReport['database'],
  observe: QueryObserver | undefined,
  run: (...queries: readonly CompiledQuery[]) => Promise<Result>,
): (...queries: readonly CompiledQuery[]) => Promise<Result> {
  if (!observe) return run;
  return async (...queries) => {
    const startedAt = performance.now();
    let isFailed = true;
    try {
      const result = await run(...queries);
      isFailed = false;
      return result;
    } finally {
      const durationMs = performance.now() - startedAt;
      for (const query of queries) observe({ database, ...describe(query), durationMs, isFailed });
    }
  };
}

// Of the text, in which parameters stand for all values, only two words are taken.
function describe({ sql }: CompiledQuery): Pick<QueryReport, 'operation' | 'table'> {
  const operation = /^\s*([a-z]+)/i.exec(sql)?.[1] ?? 'QUERY';
  const table = /\b(?:from|into|update)\s+"?([a-z_]+)"?/i.exec(sql)?.[1];
  return { operation: operation.toUpperCase(), table };
}
